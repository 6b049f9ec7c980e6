import { INestApplicationContext } from '@nestjs/common';
import { ServiceModule } from '../../../src/platform/service-module';
import { Log } from '../../../src/platform/telemetry/log';
import { createContext } from '../../../src/service/application';
import { Composition } from '../../../src/service/composition';
import { TestService } from '../../support/service';

/** Creates the application context of a command on the database of a test service. */
export function contextOn(
  { databaseUrl, clock }: TestService,
  extensions: readonly ServiceModule[] = [],
): Promise<INestApplicationContext> {
  const composition = new Composition(extensions);
  const settings = composition.readSettings({});
  return createContext({ composition, settings, databaseUrl, clock, log: new Log('silent') });
}
