import type { DynamicModule, Type } from '@nestjs/common';
import type { EntitySchema, MigrationInterface } from 'typeorm';
import type { Clock } from '../kernel/clock';
import type { CustomErrorCode } from '../kernel/domain-error';
import type { HealthCheck } from './config/health-check';
import type { Settings, SettingsGroup } from './config/settings';
import type { ResourceEvents } from './events/event-types';
import type { ApiScope } from './config/api-scopes';
import type { ApiChange } from './versions/api-change';

/** A group of operations in the OpenAPI document. Controllers name it with `@ApiTags`. */
export interface OperationTag {
  readonly name: string;
  readonly description: string;
}

/** A module and everything that it contributes. The service's own modules and extensions are declared in the same way. */
export interface ServiceModule {
  readonly module: Type | DynamicModule;
  /** Whether a service has the module; by default every one has it. Its tables and settings are declared in any case. */
  readonly enabledWhen?: (service: { readonly settings: Settings; readonly clock: Clock }) => boolean;
  /** The mapped tables. */
  readonly entities?: readonly EntitySchema[];
  /** The class names end with the creation time in milliseconds, as TypeORM requires. */
  readonly migrations?: readonly Type<MigrationInterface>[];
  readonly settings?: readonly SettingsGroup<unknown>[];
  /** The prefixes of the ids that the module issues: two to eight lower-case letters, unique in the service. */
  readonly idPrefixes?: readonly string[];
  /** The error codes that the module adds to those of the interface. */
  readonly errorCodes?: readonly CustomErrorCode[];
  /** The scopes of API keys that the module adds, for its operations, events and search sources. */
  readonly scopes?: readonly ApiScope[];
  readonly tags?: readonly OperationTag[];
  /** Checks of what the module depends on, for `countinghouse doctor`. */
  readonly healthChecks?: readonly HealthCheck[];
  /** The events of the module's resources, one declaration for each. */
  readonly events?: readonly ResourceEvents[];
  /** The changes of the module's responses, and the versions that have them. */
  readonly apiChanges?: readonly ApiChange[];
}
