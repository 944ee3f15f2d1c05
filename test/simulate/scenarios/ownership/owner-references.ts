/** Users edit owner references and adopt Secrets. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { ownSecrets, secretType } from '../../invariants/objects/adoption.ts';
import { Violation } from '../../invariants/rule.ts';
import { deployment, type ScenarioContext } from '../context.ts';
import { comes } from '../progress.ts';

const minute = 60_000;

/** Adds a ConfigMap as a second owner, which the controllers must keep. */
const shareWith = async (context: ScenarioContext, kind: string, { name }: KubeObject['metadata']) => {
  const { client, clock, draw, desired, world } = context;
  const other = `${desired.name}-others-${draw.whole(1, 1_000_000)}`;
  await client.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: other, namespace: 'default' } });
  const { uid } = (await client.get('ConfigMap', other)).body.metadata ?? {};
  if (!uid) return undefined;
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: other, uid };
  await client.patch(kind, name, { metadata: { ownerReferences: [owner] } });
  const owners = () => world.mirror.get(kind, 'default', name)?.metadata.ownerReferences?.map((one) => one.kind);
  const isOf = (one: string) => owners()?.includes(one) ?? false;
  const what = `that its Cluster owns ${kind} ${name} again`;
  await comes(context, what, () => isOf('Cluster'), 'RemoteConnectionProbe');
  await sleep(clock, draw.spread(1000, minute));
  // An object whose only owner is deleted would be garbage collected.
  if (!isOf('Cluster')) return client.patch(kind, name, { metadata: { ownerReferences: null } });
  if (!isOf('ConfigMap'))
    throw new Violation('owners', `${kind} ${name} lost its owner ${other}, which no user removed`);
  await client.remove('ConfigMap', other);
  return comes(context, `the end of the owner ${other} of ${kind} ${name}`, () => !isOf('ConfigMap'));
};

/**
 * Certificate authorities and kubeconfigs of the control plane. Those that users provide have no
 * owner.
 */
const isOfControlPlane = ({ desired }: ScenarioContext, { metadata, type }: KubeObject & { type?: string }) =>
  type === secretType && ownSecrets.some((purpose) => metadata.name === `${desired.name}-${purpose}`);

/** A user removes the owner of an object. Labels still identify the owner. */
export const removeOwner = async (context: ScenarioContext) => {
  const { client, draw, desired, world } = context;
  const isOfWorkers = ({ metadata }: KubeObject) =>
    metadata.labels?.['cluster.x-k8s.io/deployment-name'] === deployment(context);
  const parts = ['AWSCluster', 'KubeadmControlPlane', 'MachineDeployment', 'MachineSet', 'Machine', 'AWSMachine']
    .flatMap((kind) => world.mirror.all(kind))
    .filter((object) => object.metadata.name.startsWith(`${desired.name}`) && !object.metadata.deletionTimestamp)
    .filter((object) => !/Machine$|MachineSet/.test(object.kind) || isOfWorkers(object));
  const secrets = world.mirror.all('Secret').filter((secret) => isOfControlPlane(context, secret));
  const chosen = secrets.length > 0 ? [...parts, draw.pick(secrets)] : parts;
  if (chosen.length === 0) return;
  const { kind, metadata } = draw.pick(chosen);
  const isShared = /^(AWSCluster|KubeadmControlPlane|MachineDeployment)$/.test(kind) && draw.chance(0.6);
  if (isShared) return void (await shareWith(context, kind, metadata));
  // An owner of an unknown kind, which the garbage collector ignores.
  const sealed = { apiVersion: 'example.com/v1', kind: 'Sealed', name: metadata.name, uid: 'sealed', controller: true };
  const ownerReferences = kind === 'Secret' && draw.chance(0.5) ? [sealed] : null;
  await client.patch(kind, metadata.name, { metadata: { ownerReferences } });
};
