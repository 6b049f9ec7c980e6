import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Composition } from '../../src/service/composition';
import { textOf } from '../support/source-text';

interface Container {
  readonly build?: string;
  readonly environment: Record<string, string>;
  readonly secrets?: string[];
  readonly networks: string[] | Record<string, unknown>;
  readonly ports?: string[];
  readonly [option: string]: unknown;
}

const compose = parse(textOf('docker-compose.yml'), { merge: true }) as {
  services: Record<'service' | 'database' | 'proxy', Container>;
  networks: Record<string, { internal?: boolean } | null>;
  secrets: Record<string, { file: string }>;
};
const { service, database, proxy } = compose.services;
const containers = Object.entries(compose.services);
const networksOf = ({ networks }: Container) => (Array.isArray(networks) ? networks : Object.keys(networks));
const [, image] = textOf('Dockerfile')
  .split(/^FROM .*$/m)
  .slice(-2);

describe('docker-compose.yml', () => {
  it.each(containers)('limits what the container %s can do', (_, container) => {
    expect(container).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      tmpfs: expect.arrayContaining(['/tmp']),
    });
    expect(container).not.toHaveProperty('privileged');
  });

  it.each(containers)('checks the health of the container %s', (_, container) => {
    if (container.build === undefined) expect(container).toHaveProperty('healthcheck.test');
    else expect(image).toMatch(/^HEALTHCHECK /m);
  });

  it('runs the service and the database as ordinary users, and the proxy with one capability', () => {
    expect(image).toMatch(/^USER 1000$/m);
    expect(database['user']).toBe('postgres');
    expect(containers.map(([, { cap_add }]) => cap_add)).toEqual([
      undefined,
      undefined,
      ['NET_BIND_SERVICE'],
    ]);
  });

  it('connects the service as the role of deploy/create-database.sh, which is no superuser', () => {
    expect(textOf('deploy/create-database.sh')).toMatch(/CREATE ROLE countinghouse LOGIN NOSUPERUSER/);
    expect(textOf('deploy/create-secrets.sh')).toContain('postgresql://countinghouse:');
    expect(database['volumes']).toContain(
      './deploy/create-database.sh:/docker-entrypoint-initdb.d/create-database.sh:ro',
    );
    expect(database.environment).not.toHaveProperty('POSTGRES_USER');
  });

  it('publishes the proxy only, and hides the database from it', () => {
    expect(containers.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['proxy']);
    expect(networksOf(service).toSorted()).toEqual(['data', 'proxied']);
    expect([networksOf(database), networksOf(proxy)]).toEqual([['data'], ['proxied']]);
    expect(compose.networks['data']).toEqual({ internal: true });
    expect(service.environment['TRUSTED_PROXIES']).toBe(
      (proxy.networks as Record<string, { ipv4_address: string }>)['proxied']!.ipv4_address,
    );
  });

  it('passes every secret as a file', () => {
    const settings = new Composition([]).settings.flatMap(({ variables }) => Object.entries(variables));
    for (const [name] of settings.filter(([, { secret }]) => secret)) {
      expect(service.environment).not.toHaveProperty(name);
      expect(service.environment[`${name}_FILE`]).toContain(`/run/secrets/${name.toLowerCase()}`);
    }
    for (const [, { environment, secrets = [] }] of containers) {
      const named = [...JSON.stringify(environment).matchAll(/\/run\/secrets\/(\w+)/g)].map(
        ([, name]) => name!,
      );
      expect(secrets).toEqual(expect.arrayContaining(named));
    }
  });

  it('finds its secrets in what deploy/create-secrets.sh creates, once', () => {
    const folder = mkdtempSync(join(tmpdir(), 'countinghouse-compose-'));
    try {
      cpSync('deploy', join(folder, 'deploy'), { recursive: true });
      const contents = () =>
        Object.values(compose.secrets).map(({ file }) => readFileSync(join(folder, file), 'utf8'));
      const create = () => execFileSync(join(folder, 'deploy/create-secrets.sh'));
      create();
      const created = contents();
      expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
      expect(new Set(created.filter((content) => content !== '')).size).toBe(5);
      create();
      expect(contents()).toEqual(created);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
