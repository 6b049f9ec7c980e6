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
  env: NodeJS.ProcessEnv = {},
): Promise<INestApplicationContext> {
  const composition = new Composition(extensions);
  const settings = composition.readSettings(env);
  return createContext({ composition, settings, databaseUrl, clock, log: new Log('silent') });
}

/** Lets a trigger function do nothing. @returns what restores it */
export async function emptyFunction(service: TestService, name: string): Promise<() => Promise<unknown>> {
  const sql = 'SELECT pg_get_functiondef($1::regproc) AS definition';
  const [{ definition }] = (await service.sql(sql, [name])) as [{ definition: string }];
  await service.sql(
    `CREATE OR REPLACE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
  );
  return () => service.sql(definition);
}
