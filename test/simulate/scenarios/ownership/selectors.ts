/** Users edit the labels and owner references by which controllers find their objects. */
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { controlPlanesOf, deployment, type ScenarioContext, workersOf } from '../context.ts';
import { comes, resyncTimeout } from '../progress.ts';

const minute = 60_000;
const foundBy = [
  'cluster.x-k8s.io/cluster-name',
  'cluster.x-k8s.io/deployment-name',
  'cluster.x-k8s.io/set-name',
  'cluster.x-k8s.io/control-plane',
  'machine-template-hash',
] as const;

const setsOf = (context: ScenarioContext): MachineSet[] =>
  context.world.mirror
    .all<MachineSet>('MachineSet')
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === deployment(context)));

const candidates = (context: ScenarioContext): KubeObject[] => {
  const machines = [...workersOf(context), ...controlPlanesOf(context)];
  const parts = machines.flatMap(({ spec }) => [
    context.world.mirror.get('AWSMachine', 'default', spec?.infrastructureRef?.name ?? ''),
    context.world.mirror.get('KubeadmConfig', 'default', spec?.bootstrap?.configRef?.name ?? ''),
  ]);
  return [...machines, ...setsOf(context), ...parts.filter((part) => part !== undefined)].filter(
    ({ metadata }) => !metadata.deletionTimestamp,
  );
};

const edited = ({ draw }: ScenarioContext, { kind, metadata }: KubeObject): object => {
  const { labels = {}, ownerReferences = [] } = metadata;
  const known = foundBy.filter((label) => labels[label] !== undefined);
  const take = (keys: readonly string[], value: string | null) => ({
    labels: Object.fromEntries(keys.map((key) => [key, value])),
  });
  const isOwned = kind === 'Machine' || kind === 'MachineSet';
  const changes = [
    () => take(Object.keys(labels), null),
    () => take([draw.pick(known)], null),
    () => take([draw.pick(known)], 'another'),
    ...(isOwned ? [() => ({ ownerReferences: ownerReferences.map((one) => ({ ...one, controller: false })) })] : []),
  ];
  return draw.pick(changes)();
};

/**
 * A controller reverts each edit before the next one. Removing both the labels and the owner would
 * release the object.
 */
export const editSelection = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, tell, world } = context;
  await settled(60);
  for (let times = draw.whole(1, 4); times > 0; times--) {
    const all = candidates(context);
    if (all.length === 0) return;
    const { kind, metadata } = draw.pick(all);
    const { labels = {} } = metadata;
    const metadataPatch = edited(context, { kind, metadata } as KubeObject);
    tell(`edits ${kind} ${metadata.name}: ${JSON.stringify(metadataPatch)}`);
    await client.patch(kind, metadata.name, { metadata: metadataPatch });
    const isBack = () => {
      const now = world.mirror.get(kind, 'default', metadata.name)?.metadata;
      if (!now || now.uid !== metadata.uid || now.deletionTimestamp) return true;
      const isLabelled = foundBy.every((label) => now.labels?.[label] === labels[label]);
      return isLabelled && (now.ownerReferences?.some(({ controller }) => controller) ?? false);
    };
    await comes(context, `that the controller restores ${kind} ${metadata.name}`, isBack, undefined, resyncTimeout);
    await sleep(clock, draw.spread(1000, 5 * minute));
  }
};
