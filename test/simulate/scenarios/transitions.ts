/** Specs that change to any value, valid or not by their schemas, and back. */
import { kinds } from '../../../kinds/index.ts';
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import type { Answer } from '../clients/client.ts';
import { Violation } from '../invariants/rule.ts';
import type { ScenarioContext } from './context.ts';
import { type Field, fieldsOf, patchOf, valuesOf, wayBack } from './fields.ts';

const minute = 60_000;

/** Objects that users write, and objects that controllers write and users may edit. */
const edited = [
  'Cluster',
  'AWSCluster',
  'KubeadmControlPlane',
  'MachineDeployment',
  'AWSMachineTemplate',
  'KubeadmConfigTemplate',
  'ClusterResourceSet',
  'MachineSet',
  'Machine',
  'AWSMachine',
  'KubeadmConfig',
] as const;
/** Objects of workers, which can be replaced after an irreparable change. */
const replaceable: readonly string[] = ['MachineSet', 'Machine', 'AWSMachine', 'KubeadmConfig'];
const isOfWorker = ({ metadata }: KubeObject) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] !== undefined;

export const specFields = (name: string, version?: string): Field[] => {
  const { versions } = kinds.find(({ kind }) => kind === name)!;
  const { schema } = version ? versions.find((one) => one.name === version)! : versions[0]!;
  const { spec } = schema.properties ?? {};
  return spec ? fieldsOf(spec, ['spec']) : [];
};
const fields = new Map(edited.map((kind) => [kind, specFields(kind)] as const));

const refusals = new Set([400, 403, 404, 405, 409, 413, 422]);

/** The request is accepted, or refused as Kubernetes does. */
export const expectKubernetes = ({ code, body }: Pick<Answer, 'code' | 'body'>, what: string): void => {
  if (code < 300) return;
  const status = body as { kind?: string; status?: unknown; reason?: string; message?: string; code?: number };
  const isRefusal =
    refusals.has(code) && status.kind === 'Status' && status.status === 'Failure' && status.reason && status.message;
  if (!isRefusal || status.code !== code)
    throw new Violation('answers', `${what} was answered ${code} ${JSON.stringify(body).slice(0, 300)}`);
};

/**
 * Changes one field of an object once or twice, and restores it. False when it cannot be restored.
 */
const transition = async (context: ScenarioContext, { kind, metadata: { name } }: KubeObject): Promise<boolean> => {
  const { client, clock, draw, tell } = context;
  const { path, schema } = draw.pick(fields.get(kind as (typeof edited)[number])!);
  const change = async (at: readonly string[], value: JsonValue): Promise<Answer> => {
    const { body } = await client.get(kind, name);
    const answer = await client.patch(kind, name, patchOf(body as unknown as JsonValue, at, value));
    expectKubernetes(answer, `${JSON.stringify(value).slice(0, 100)} as ${at.join('.')} of ${kind} ${name}`);
    return answer;
  };
  const { body } = await client.get(kind, name);
  const before = wayBack(body as unknown as JsonValue, path);
  let isChanged = false;
  for (let times = draw.whole(1, 2); times > 0; times--) {
    const { edit, value } = draw.pick(valuesOf({ path, schema }));
    tell(`${edit} ${kind} ${path.join('.')}`);
    if ((await change(path, value)).code >= 300) continue;
    isChanged = true;
    await sleep(clock, draw.spread(1000, 20 * minute));
  }
  return !isChanged || (await change(before.path, before.value)).code < 300;
};

export const transit = async (context: ScenarioContext, times: number): Promise<void> => {
  const { client, draw, life, desired, settled, world } = context;
  for (let step = 0; step < times; step++) {
    if (draw.chance(0.5)) await settled(60);
    const there = edited
      .flatMap((kind) => world.mirror.all(kind))
      .filter((object) => !replaceable.includes(object.kind) || isOfWorker(object));
    if (there.length === 0) return;
    const object = draw.pick(there);
    if (await transition(context, object)) continue;
    if (replaceable.includes(object.kind)) {
      // The objects of a worker share its name.
      await client.remove(object.kind === 'MachineSet' ? 'MachineSet' : 'Machine', object.metadata.name);
      continue;
    }
    // Only a new cluster restores an object that cannot be replaced.
    life.desired = undefined;
    await client.remove('Cluster', desired.name);
    return;
  }
};
