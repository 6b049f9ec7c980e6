import { INestApplicationContext } from '@nestjs/common';
import { readConfig } from '../../src/platform/config/config';
import { Log } from '../../src/platform/telemetry/log';
import { createContext } from '../../src/service';
import { TestService } from '../support/service';

/** The service's modules on a suite's database, as the commands of the shell have them. */
export function contextOn({ databaseUrl, clock }: TestService): Promise<INestApplicationContext> {
  return createContext({ config: readConfig({}), databaseUrl, clock, log: new Log('silent') });
}
