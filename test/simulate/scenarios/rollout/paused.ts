/** A rollout is paused halfway and scaled. Its sets scale in proportion. */
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { Violation } from '../../invariants/rule.ts';
import { applyAll, deployment, type ScenarioContext } from '../context.ts';

const second = 1000;
const minute = 60 * second;
const rule = 'in proportion';
/** Half a machine. The largest set gets the remainder. */
const rounding = 0.5;

type Sizes = ReadonlyMap<string, number>;

/** The replicas of each set that has any. */
const sizesOf = (context: ScenarioContext): Sizes => {
  const isIts = ({ metadata }: MachineSet) =>
    metadata.namespace === 'default' &&
    metadata.labels?.['cluster.x-k8s.io/deployment-name'] === deployment(context) &&
    !metadata.deletionTimestamp;
  const sets = context.world.mirror.all<MachineSet>('MachineSet').filter(isIts);
  return new Map(sets.flatMap(({ metadata, spec }) => (spec?.replicas ? [[metadata.name, spec.replicas]] : [])));
};
const sum = (sizes: Sizes) => [...sizes.values()].reduce((total, size) => total + size, 0);

/** A rollout in progress has one surge machine, also while it is paused. */
const expectProportion = (before: Sizes, after: Sizes, were: number, wanted: number) => {
  const allowed = after.size > 1 ? wanted + 1 : wanted;
  const sizes = JSON.stringify([...after.values()]);
  if (sum(after) !== allowed) throw new Violation(rule, `sets with ${allowed} machines in total have ${sizes}`);
  // One set may have all machines when the rollout was nearly complete.
  if (after.size < 2) return;
  for (const [name, size] of after) {
    const was = before.get(name) ?? 0;
    const share = (was * allowed) / (were + 1);
    const isLargest = was === Math.max(...before.values());
    if (Math.abs(size - share) > (isLargest ? after.size : 1) * rounding)
      throw new Violation(rule, `${name} has ${size} replicas, but its share is ${share}`);
  }
};

export const scaleMidRollout = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, desired, world } = context;
  const patch = (spec: object) => client.patch('MachineDeployment', deployment(context), { spec });
  const isSeen = () => {
    const found = world.mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(context));
    return found?.metadata.generation === found?.status?.observedGeneration;
  };
  const seen = async () => {
    for (let waited = 0; !isSeen() && waited < 10 * minute; waited += second) await sleep(clock, second);
  };
  desired.workers = draw.whole(2, 4);
  await patch({ replicas: desired.workers });
  await settled(60);
  desired.instanceType = desired.instanceType === 't3.large' ? 'm5.large' : 't3.large';
  await applyAll(context);
  const isUnderWay = () => sizesOf(context).size > 1;
  for (let waited = 0; !isUnderWay() && waited < 10 * minute; waited += second) await sleep(clock, second);
  await sleep(clock, draw.spread(second, 3 * minute));
  await patch({ paused: true });
  await seen();
  // A decision from just before may take effect late.
  await sleep(clock, 20 * second);
  const [before, were] = [sizesOf(context), desired.workers];
  desired.workers = draw.whole(1, 7);
  await patch({ replicas: desired.workers });
  await seen();
  await sleep(clock, draw.spread(minute, 20 * minute));
  // During a replacement there is one machine more or less.
  if (!world.isDisturbed && isSeen() && sum(before) === were + 1)
    expectProportion(before, sizesOf(context), were, desired.workers);
  await patch({ paused: false });
};
