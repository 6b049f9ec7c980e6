import { Module } from '@nestjs/common';
import { ServiceModule } from '../../../platform/service-module';
import { AuthModule } from '../../auth/auth.module';
import { ConsoleSessions } from './console-sessions.service';
import { consoleSettings } from './console.settings';
import { ConsoleRoutes } from './console.routes';
import { SingleSignOnRoutes } from './single-sign-on.routes';
import { MoneyMovers } from './test-mode';

/** The console of the back office: its files and its sessions. All else it does with the public API. */
@Module({
  imports: [AuthModule],
  providers: [ConsoleSessions, ConsoleRoutes, SingleSignOnRoutes, MoneyMovers],
  exports: [MoneyMovers],
})
export class ConsoleModule {}

export const console: ServiceModule = {
  module: ConsoleModule,
  settings: [consoleSettings],
};
