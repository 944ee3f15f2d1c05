/** The commands of pages work as they stand, in this order, on a laptop with the quickstart cluster. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from './support/control-plane.ts';
import { findKubectls } from './support/kubectl.ts';
import { blocksOf, runScript } from './support/pages.ts';

/** `kubectl wait --for=create` is of 1.31. */
const kubectl = findKubectls().at(-1)!;
let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane(600);
});
afterAll(() => controlPlane?.end());

const run = async (script: string) => {
  const { directory, kubeconfig } = controlPlane;
  const { code, output } = await runScript(script, { directory, kubectl, kubeconfig });
  expect(code, output).toBe(0);
  return output;
};

const available = 'kubectl wait cluster/quickstart --for=condition=Available --timeout=5m\n';

it.each([
  { page: 'examples.md', heading: undefined, before: '', says: 'condition met' },
  { page: 'examples.md', heading: 'Images', before: '', says: 'instance profile my-nodes created' },
  {
    page: 'repair.md',
    heading: undefined,
    before: `capstan example quickstart | kubectl apply -f -\n${available}`,
    says: 'quickstart-workers',
  },
  {
    page: 'access.md',
    heading: 'ServiceAccounts',
    before: 'kubectl create namespace team-a\n',
    says: 'rolebinding.rbac.authorization.k8s.io/deployer created',
  },
  { page: 'access.md', heading: 'A kubeconfig for a colleague', before: '', says: 'namespace team-a only' },
  { page: 'own-network.md', heading: undefined, before: '', says: 'own-network condition met' },
  {
    page: 'self-service.md',
    heading: 'The platform team: a class',
    before: '',
    says: '"cluster-class" deleted',
  },
  { page: 'self-service.md', heading: 'The platform team: hooks', before: '', says: 'condition met' },
  {
    page: 'self-service.md',
    heading: 'The platform team: a team moves in',
    before: '',
    says: 'configmap/storage created',
  },
  { page: 'self-service.md', heading: 'The team: a request', before: '', says: '"leased":["10.1.0.7"]' },
  { page: 'self-service.md', heading: 'The team: an upgrade', before: '', says: 'condition met' },
  { page: 'self-service.md', heading: 'The end', before: '', says: '"leased":[]' },
  { page: 'repair.md', heading: 'Trying it', before: '', says: 'is shutting down' },
  { page: 'upgrades.md', heading: undefined, before: available, says: 'v1.36.0' },
  { page: 'upgrades.md', heading: 'A pool of your own image', before: '', says: 'quickstart-workers' },
  { page: 'alarms.md', heading: 'Prometheus', before: '', says: 'capstan_installation_frozen 0' },
  { page: 'audit.md', heading: undefined, before: '', says: 'machinedeployments' },
  { page: 'annotations.md', heading: undefined, before: '', says: 'annotated' },
  { page: 'versions.md', heading: undefined, before: '', says: 'clusters' },
  { page: 'snapshots.md', heading: undefined, before: available, says: 'is valid' },
  { page: 'snapshots.md', heading: 'On a schedule', before: '', says: 'annotated' },
  { page: 'moving.md', heading: 'Removing a cluster', before: '', says: 'No orphans found' },
])('$page, $heading', async ({ page, heading, before, says }) => {
  const script = blocksOf(page, 'sh', heading).join('\n');
  const ready = script.replaceAll('my-cluster', 'quickstart');
  expect(await run(`${before}${ready}`)).toContain(says);
});

it('in-tests.md: the script', async () => {
  const [script] = blocksOf('in-tests.md', 'sh');
  expect(await run(script!)).toContain('deleted');
});

it('in-tests.md: the fixture', async () => {
  const [code] = blocksOf('in-tests.md', 'ts', 'As a fixture');
  const folder = mkdtempSync(join(tmpdir(), 'fixture-'));
  try {
    const file = join(folder, 'capstan.fixture.ts');
    writeFileSync(file, code!);
    const { startCapstan } = (await import(pathToFileURL(file).href)) as {
      startCapstan(binary: string): Promise<{ kubeconfig: string; end(): Promise<void> }>;
    };
    const capstan = await startCapstan(join(controlPlane.directory, 'bin', 'capstan'));
    const ready = spawnSync(kubectl, ['--kubeconfig', capstan.kubeconfig, 'get', '--raw', '/readyz']);
    expect(String(ready.stdout)).toContain('ok');
    await capstan.end();
    expect(existsSync(capstan.kubeconfig)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
