import type { Type } from '@nestjs/common';
import { isISO8601 } from 'class-validator';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { EntitySchema, MigrationInterface } from 'typeorm';
import { coreModules } from '../app.module';
import { diskCheck, embeddedPostgresSettings } from '../embedded-postgres/embedded-postgres.settings';
import type { Clock } from '../kernel/clock';
import { errorStatus } from '../kernel/domain-error';
import { ApiScopes } from '../platform/config/api-scopes';
import type { HealthCheck } from '../platform/config/health-check';
import { secretsSettings } from '../platform/config/secrets.settings';
import { ConfigError, Settings, type SettingsGroup } from '../platform/config/settings';
import { databaseSettings } from '../platform/database/database.settings';
import type { DatabaseSchema } from '../platform/database/engine/data-source';
import { listEventTypes, type ResourceEvents } from '../platform/events/event-types';
import { platform } from '../platform/platform.module';
import type { OperationTag, ServiceModule } from '../platform/service-module';
import { FIRST_VERSION } from '../platform/versions/api-versions';
import { undeclaredScope } from './declarations';

const FOLDER = join(__dirname, '../../migrations');
const load = createRequire(__filename);

/** The migrations of the service, in the order of the times that the names of their files begin with. */
const coreMigrations = readdirSync(FOLDER)
  .filter((name) => /^\d{13}-[^.]+\.(js|ts)$/.test(name))
  .sort()
  .flatMap((name) => Object.values(load(join(FOLDER, name)) as Record<string, Type<MigrationInterface>>));

const embeddedPostgres: Omit<ServiceModule, 'module'> = {
  settings: [embeddedPostgresSettings],
  healthChecks: [diskCheck],
};

/** The modules of a service and their combined declarations. */
export class Composition {
  readonly modules: readonly ServiceModule[];

  /** @throws ConfigError for a name that is malformed or declared twice */
  constructor(private readonly extensions: readonly ServiceModule[]) {
    this.modules = [...coreModules, ...extensions];
    const codes = this.modules.flatMap(({ errorCodes = [] }) => errorCodes);
    const { entities, migrations } = this.schema;
    const tables = entities.map(({ options }) => options.tableName ?? options.name);
    const settings = this.settings.flatMap(({ variables }) => Object.keys(variables));
    assertNames('id prefix', this.idPrefixes, /^[a-z]{2,8}$/);
    assertNames('error code', [...Object.keys(errorStatus), ...listNames(codes)], /^[a-z][a-z_]*$/);
    const noError = codes.find(({ status }) => status < 400 || status > 499);
    if (noError)
      throw new ConfigError(`The error code "${noError.name}" must have a status from 400 to 499.`);
    assertNames('tag', listNames(this.listTags(this.modules)), /./);
    assertNames('event type', listNames(listEventTypes(this.events)), /^[a-z][a-z_]*\.[a-z][a-z_]*$/);
    assertNames('health check', listNames(this.healthChecks), /^[a-z][a-z_-]*$/);
    assertNames('table', tables, /./);
    assertNames('migration', listNames(migrations), /\d{13}$/);
    assertNames('setting', settings, /^[A-Z][A-Z0-9_]*$/);
    this.assertVersions();
    this.assertScopes();
    entities.forEach(assertNamedLikeClass);
  }

  /** @throws ConfigError for a version that is not a date after the first one, and for two changes of a response in one version */
  private assertVersions(): void {
    const changes = this.modules.flatMap(({ apiChanges = [] }) => apiChanges);
    const wrong = changes.find(({ version }) => !isDate(version) || version <= FIRST_VERSION);
    if (wrong !== undefined)
      throw new ConfigError(`The version "${wrong.version}" must be a date after ${FIRST_VERSION}.`);
    const responses = changes.flatMap(({ version, responses: all }) =>
      all.map(({ newer }) => `change of ${newer.name} in version ${version}`),
    );
    assertNames('API', responses, /./);
  }

  /** @throws ConfigError for a scope that is malformed, declared twice or within no wide one, and for one that only events name */
  private assertScopes(): void {
    const scopes = this.modules.flatMap(({ scopes = [] }) => scopes);
    assertNames('scope', listNames(scopes), /^[a-z][a-z_]*(:[a-z][a-z_]*)?$/);
    const declared = new ApiScopes(scopes);
    for (const { name, within } of scopes)
      if (within !== undefined && !declared.wide.includes(within))
        throw new ConfigError(
          `The scope "${name}" is within "${within}", which must be one of ${declared.wide.join(', ')}.`,
        );
    for (const { resource, scope } of this.events)
      if (scope !== undefined && !declared.has(scope))
        throw undeclaredScope(scope, `the events of "${resource}"`);
  }

  /** The core's migrations run before those of extensions, whose tables may build on the core's. */
  get migrationSteps(): readonly DatabaseSchema[] {
    const ofExtensions = this.extensions.flatMap(({ migrations = [] }) => migrations);
    return [coreMigrations, ofExtensions].map((migrations) => ({ entities: [], migrations }));
  }

  get schema(): DatabaseSchema {
    return {
      entities: this.modules.flatMap(({ entities = [] }) => entities),
      migrations: this.migrationSteps.flatMap(({ migrations }) => migrations),
    };
  }

  /** The modules that a service with these settings and this clock has. */
  enabledModules(service: { readonly settings: Settings; readonly clock: Clock }): readonly ServiceModule[] {
    return this.modules.filter(({ enabledWhen }) => enabledWhen?.(service) ?? true);
  }

  listTags(modules: readonly ServiceModule[]): readonly OperationTag[] {
    return [...modules, platform].flatMap(({ tags = [] }) => tags);
  }

  get idPrefixes(): readonly string[] {
    return this.modules.flatMap(({ idPrefixes = [] }) => idPrefixes);
  }

  get events(): readonly ResourceEvents[] {
    return this.modules.flatMap(({ events = [] }) => events);
  }

  get settings(): readonly SettingsGroup<unknown>[] {
    return [platform, embeddedPostgres, ...this.modules].flatMap(({ settings = [] }) => settings);
  }

  get healthChecks(): readonly HealthCheck[] {
    return [platform, embeddedPostgres, ...this.modules].flatMap(({ healthChecks = [] }) => healthChecks);
  }

  /** @throws ConfigError naming the settings that are missing or invalid */
  readSettings(env: NodeJS.ProcessEnv): Settings {
    const settings = Settings.read(this.settings, env);
    if (settings.of(databaseSettings).url !== null && settings.of(secretsSettings).length === 0) {
      throw new ConfigError(
        'JWT_SECRETS: must be set when DATABASE_URL is set, to the same value on every replica',
      );
    }
    return settings;
  }
}

/** Whether a text is a date such as `2026-11-26`. */
function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && isISO8601(text, { strict: true });
}

/** @throws ConfigError for the schema of a class with another name, which TypeORM takes for another entity */
function assertNamedLikeClass({ options: { name, target } }: EntitySchema): void {
  if (typeof target !== 'function' || target.name === name) return;
  throw new ConfigError(
    `The entity schema "${name}" maps the class ${target.name}. Name it "${target.name}" too.`,
  );
}

function listNames(declared: readonly { readonly name: string }[]): string[] {
  return declared.map(({ name }) => name);
}

function assertNames(kind: string, names: readonly string[], pattern: RegExp): void {
  const malformed = names.find((name) => !pattern.test(name));
  if (malformed !== undefined)
    throw new ConfigError(`The ${kind} "${malformed}" must match ${pattern.source}.`);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new ConfigError(`The ${kind} "${repeated}" is declared twice.`);
}
