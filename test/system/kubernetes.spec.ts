import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { isInNetworks } from '../../src/kernel/client-network';
import { isAllowedAddress } from '../../src/modules/events/webhooks/endpoint-addresses';
import { databaseSettings } from '../../src/platform/database/database.settings';
import { maxConnections } from '../../src/platform/database/engine/data-source';
import { Composition } from '../../src/service/composition';
import { textOf } from '../support/source-text';

const FOLDER = 'deploy/kubernetes';
const CHECK = '.ci/check-kubernetes.mjs';
const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => join(FOLDER, name));
const resources = files.flatMap((file) =>
  parseAllDocuments(textOf(file)).map((document) => document.toJS() as Record<string, any>),
);
const kustomizationOf = (overlay: string) =>
  parse(textOf(`${FOLDER}/overlays/${overlay}/kustomization.yaml`)) as Record<string, any>;
const ofKind = (kind: string) => resources.filter((resource) => resource['kind'] === kind);
const workloads = [...ofKind('Deployment'), ...ofKind('Job')];
const podOf = ({ spec }: Record<string, any>) => spec.template.spec;
const containerOf = (workload: Record<string, any>) => podOf(workload).containers[0];
const isLabelled = (labels: Record<string, string>, wanted: Record<string, string>) =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value);

describe('The manifests of Kubernetes', () => {
  it('are valid by its schemas, but for those of operators', () => {
    const output = execFileSync('node', [CHECK, ...files], { encoding: 'utf8' });
    expect([...new Set(output.trim().split('\n'))].toSorted()).toEqual([
      'monitoring.coreos.com/v1 PodMonitor: not checked',
      'postgresql.cnpg.io/v1 Cluster: not checked',
    ]);
  });

  it.each([
    ['a value of another type', 'periodSeconds: 2', 'periodSeconds: two'],
    ['a member under another name', 'containerPort: 3000', 'port: 3000'],
  ])('would be rejected with %s', (_, text, fault) => {
    const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
    try {
      const file = join(folder, 'service.yaml');
      writeFileSync(file, textOf(`${FOLDER}/base/service.yaml`).replace(text, fault));
      expect(spawnSync('node', [CHECK, file]).status).toBe(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('set variables that the service knows', () => {
    const known = new Set(new Composition([]).settings.flatMap(({ variables }) => Object.keys(variables)));
    const maps = [...ofKind('ConfigMap'), ...overlayPatches()];
    const named = [
      ...maps.flatMap(({ data }) => Object.keys(data as object)),
      ...workloads.flatMap((workload) => containerOf(workload).env.map(({ name }: { name: string }) => name)),
    ];
    expect(named.length).toBeGreaterThan(10);
    expect(
      named.filter((name) => !known.has(name) && name !== 'NODE_EXTRA_CA_CERTS' && name !== 'NODE_ENV'),
    ).toEqual([]);
  });

  it.each(workloads.map((workload) => [workload['metadata'].name, workload]))(
    'limit what %s can do',
    (_, workload) => {
      expect(podOf(workload)).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(containerOf(workload)).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: { limits: { memory: expect.any(String) } },
      });
    },
  );

  it('migrate as the owner of the tables, and run as another role', () => {
    const secretOf = (workload: Record<string, any>) =>
      containerOf(workload).env.find(({ name }: { name: string }) => name === 'DATABASE_URL').valueFrom
        .secretKeyRef.name;
    expect(ofKind('Job').map(secretOf)).toEqual(['countinghouse-database-owner']);
    expect(new Set(ofKind('Deployment').map(secretOf))).toEqual(new Set(['countinghouse-database']));
  });

  it('give a replica time for the delay and for its accepted requests', () => {
    const [service] = ofKind('Deployment').filter(({ metadata }) => metadata.name === 'countinghouse');
    const delay = containerOf(service!).env.find(
      ({ name }: { name: string }) => name === 'SHUTDOWN_DELAY_SECONDS',
    );
    expect(podOf(service!).terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(delay.value) + 26);
  });

  it('probe whether a deployment lives, on a port of its own', () => {
    const [{ data }] = ofKind('ConfigMap') as [Record<string, any>];
    for (const { ports, livenessProbe } of ofKind('Deployment').map(containerOf)) {
      expect(ports).toContainEqual({ name: 'metrics', containerPort: Number(data.METRICS_PORT) });
      expect(livenessProbe.httpGet.path).toBe('/health/live');
      expect(ports.map(({ name }: { name: string }) => name)).toContain(livenessProbe.httpGet.port);
    }
  });

  it('leave the number of replicas to the autoscaler, where there is one', () => {
    const scaled = ofKind('HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name);
    const deployments = ofKind('Deployment').filter(({ metadata }) => scaled.includes(metadata.name));
    expect(deployments.map(({ spec }) => spec.replicas)).toEqual([undefined]);
    expect(kustomizationOf('production')).not.toHaveProperty('replicas');
    expect(kustomizationOf('trial')['replicas']).toEqual([{ name: scaled[0], count: 2 }]);
  });

  it('give the database of production connections for all replicas, also during a rollout', () => {
    const { poolSize } = new Composition([]).readSettings({}).of(databaseSettings);
    const [scaler] = ofKind('HorizontalPodAutoscaler');
    const [worker] = ofKind('Deployment').filter(({ metadata }) => metadata.name === 'countinghouse-worker');
    const processes = scaler!['spec'].maxReplicas + 1 + worker!['spec'].replicas + 1;
    const { parameters } = parse(textOf(`${FOLDER}/overlays/production/database.yaml`)).spec.postgresql;
    // A sixth is left for the job, the operator and people.
    expect(Number(parameters.max_connections)).toBeGreaterThan(1.2 * processes * maxConnections(poolSize, 1));
  });

  describe('let out what the service sends webhooks to', () => {
    const { to, ports } = ofKind('NetworkPolicy')[0]!['spec'].egress.at(-1) as {
      to: { ipBlock: { cidr: string; except: string[] } }[];
      ports: { port: number; endPort?: number }[];
    };

    it.each([80, 443, 1024, 65_535])('on port %i', (wanted) => {
      expect(ports.some(({ port, endPort = port }) => port <= wanted && wanted <= endPort)).toBe(true);
    });

    it.each([
      ['8.8.8.8', true],
      ['2606:4700:4700::1111', true],
      ['10.1.2.3', false],
      ['100.64.0.1', false],
      ['169.254.169.254', false],
      ['172.31.0.1', false],
      ['192.168.1.1', false],
      ['fd00:ec2::254', false],
      ['fe80::1', false],
    ])('at %s: %s', (address, isAllowed) => {
      const isOpen = to.some(
        ({ ipBlock: { cidr, except } }) => isInNetworks(address, [cidr]) && !isInNetworks(address, except),
      );
      expect([isOpen, isAllowedAddress(address, false)]).toEqual([isAllowed, isAllowed]);
    });
  });

  it('name secrets that the README describes', () => {
    const references =
      /(?:secretRef: \{ name|secretKeyRef: \{ name|secretName|passwordSecret: \{ name): ([\w-]+)/g;
    const names = new Set(
      files.flatMap((file) => [...textOf(file).matchAll(references)].map(([, name]) => name!)),
    );
    const manual = textOf(`${FOLDER}/README.md`);
    expect(names.size).toBe(6);
    expect([...names].filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
  });

  it('select pods that there are', () => {
    const labels = workloads.map(({ spec }) => spec.template.metadata.labels as Record<string, string>);
    const selectors = [
      ...ofKind('Service').map(({ spec }) => spec.selector),
      ...[...ofKind('Deployment'), ...ofKind('PodDisruptionBudget'), ...ofKind('PodMonitor')].map(
        ({ spec }) => spec.selector.matchLabels,
      ),
      ...ofKind('NetworkPolicy').map(({ spec }) => spec.podSelector.matchLabels),
    ] as Record<string, string>[];
    expect(selectors).toHaveLength(6);
    for (const selector of selectors) expect(labels.some((one) => isLabelled(one, selector))).toBe(true);
    const names = new Set(resources.map(({ kind, metadata }) => `${kind} ${metadata?.name}`));
    const [scaler] = ofKind('HorizontalPodAutoscaler');
    expect(names).toContain(`Deployment ${scaler!['spec'].scaleTargetRef.name}`);
  });

  it('list files that there are', () => {
    for (const file of files.filter((name) => name.endsWith('kustomization.yaml')))
      for (const resource of (parse(textOf(file)) as { resources: string[] }).resources)
        expect(files.some((other) => other.startsWith(join(file, '..', resource)))).toBe(true);
  });
});

/** The parts of config maps in the overlays. */
function overlayPatches(): Record<string, any>[] {
  return ofKind('Kustomization').flatMap(({ patches = [] }) =>
    (patches as { patch: string }[]).map(({ patch }) => parse(patch) as Record<string, any>),
  );
}
