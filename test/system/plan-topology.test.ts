/** `capstan plan -f` against a served installation. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { clientOf } from '../../cli/client.fixture.ts';
import { planTopologies } from '../../cli/plan-topology.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Moment, type World } from './world.ts';

const name = 'cluster-class.yaml';
const folder = mkdtempSync(join(tmpdir(), 'capstan-plan-'));
const file = join(folder, 'cluster.yaml');
let moment: Moment;
let world: World;
beforeAll(async () => {
  moment = await settledMoment(name);
}, 60_000);
afterEach(() => world.end());
afterAll(() => rmSync(folder, { recursive: true }));

const clientIn = (to: World) =>
  clientOf(async (request) => {
    const { pathname, search } = new URL(request.url);
    const text = await request.text();
    const sent = text === '' ? undefined : JSON.parse(text);
    const { code, body } = await to.request(request.method, `${pathname}${search}`, sent);
    return new Response(JSON.stringify(body), { status: code });
  });

const ownCluster = (): KubeObject => example(name).find(({ kind }) => kind === 'Cluster')!;
const withVersion = (version: string): KubeObject => {
  const cluster = structuredClone(ownCluster()) as KubeObject & { spec: { topology: { version: string } } };
  cluster.spec.topology.version = version;
  return cluster;
};
const plan = async (object: KubeObject) => {
  writeFileSync(file, stringify(object));
  const lines: string[] = [];
  const isChanged = await planTopologies(clientIn(world), file, (text) => lines.push(text));
  return { isChanged, text: lines.join('\n') };
};

describe('a plan of a Cluster', () => {
  it('shows the objects whole and the Machines that roll, and changes nothing', async () => {
    world = await createWorld({ from: moment, seed: 41, workflows: true });
    const before = world.all('KubeadmControlPlane');
    const { isChanged, text } = await plan(withVersion('v1.36.0'));
    expect(isChanged).toBe(true);
    const machines = world.all('Machine').map(({ metadata }) => metadata.name);
    for (const machine of machines) expect(text).toContain(`# would replace Machine ${machine}`);
    const objects = parseAllDocuments(text).flatMap((one) => (one.toJS() as KubeObject | null) ?? []);
    expect(objects.map(({ kind }) => kind)).toEqual(['KubeadmControlPlane', 'MachineDeployment']);
    expect(objects[0]).toMatchObject({ spec: { version: 'v1.36.0', kubeadmConfigSpec: expect.anything() } });
    expect(text).toContain('# Cluster cluster-class: changes of objects: 2, Machines to replace: 3');
    expect(world.all('KubeadmControlPlane')).toEqual(before);
    expect(world.find('Cluster', 'cluster-class')?.metadata.annotations).not.toHaveProperty(['capstan.dev/plan']);
  });

  it('of what there is says that nothing changes', async () => {
    world = await createWorld({ from: moment, seed: 42, workflows: true });
    expect(await plan(ownCluster())).toEqual({
      isChanged: false,
      text: '# Cluster cluster-class: changes of objects: 0, Machines to replace: 0',
    });
  });

  it('that does not exist shows everything that would be made', async () => {
    world = await createWorld({ from: moment, seed: 43, workflows: true });
    const other = { ...ownCluster(), metadata: { ...ownCluster().metadata, name: 'other' } };
    const { text } = await plan(other);
    for (const kind of ['AWSCluster', 'KubeadmControlPlane', 'MachineDeployment'])
      expect(text).toMatch(new RegExp(`# would create ${kind} other-`));
    expect(world.find('Cluster', 'other')).toBeUndefined();
  });

  it('is refused with the faults of the manifest', async () => {
    world = await createWorld({ from: moment, seed: 44, workflows: true });
    await expect(plan(withVersion('v1.30.0'))).rejects.toThrow('version cannot be decreased');
  });
});
