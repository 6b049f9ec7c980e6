import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { AccountScopedReader } from '../modules/auth';
import { SearchSources } from '../modules/back-office';
import { ConfigError } from '../platform/config/settings';
import { ApiScopes } from '../platform/config/api-scopes';
import { AccountOwnedTable } from '../platform/database/account-owned-table';
import { SCOPE } from '../platform/http/operation';

/**
 * Compares what modules use with what they declare, which is known once all have started.
 * @throws ConfigError for an id prefix, or a scope of an operation or a search source, that no module declares
 */
export function assertDeclarations(app: INestApplicationContext, idPrefixes: readonly string[]): void {
  for (const { user, idPrefix } of usedPrefixes(app))
    if (!idPrefixes.includes(idPrefix))
      throw new ConfigError(
        `The id prefix "${idPrefix}" of ${user} is declared by no module. Add it to the idPrefixes of one.`,
      );
  const scopes = app.get(ApiScopes);
  for (const { user, scope } of [...operationScopes(app), ...searchScopes(app)])
    if (!scopes.has(scope)) throw undeclaredScope(scope, user);
}

export function undeclaredScope(scope: string, user: string): ConfigError {
  return new ConfigError(
    `The scope "${scope}" of ${user} is declared by no module. Add it to the scopes of one.`,
  );
}

function usedPrefixes(app: INestApplicationContext): { readonly user: string; readonly idPrefix: string }[] {
  return app
    .get(DiscoveryService)
    .getProviders()
    .map(({ instance }): unknown => instance)
    .filter((one) => one instanceof AccountOwnedTable || one instanceof AccountScopedReader)
    .map((one) => ({ user: one.constructor.name, idPrefix: one.idPrefix }));
}

interface UsedScope {
  readonly user: string;
  readonly scope: string;
}

function operationScopes(app: INestApplicationContext): UsedScope[] {
  const [scanner, reflector] = [new MetadataScanner(), app.get(Reflector)];
  return app
    .get(DiscoveryService)
    .getControllers()
    .flatMap(({ metatype }) => {
      const { name, prototype } = metatype as { name: string; prototype: Record<string, () => void> };
      return scanner.getAllMethodNames(prototype).flatMap((method) => {
        const scopes = reflector.get<readonly string[] | undefined>(SCOPE, prototype[method]!) ?? [];
        return scopes.map((scope) => ({ user: `the operation ${name}.${method}`, scope }));
      });
    });
}

function searchScopes(app: INestApplicationContext): UsedScope[] {
  return app
    .get(SearchSources)
    .members.flatMap(({ name, scope }) =>
      scope === null ? [] : [{ user: `the search source "${name}"`, scope }],
    );
}
