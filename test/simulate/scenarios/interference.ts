/** Somebody acts just when an operation is at a certain step. */
import type { ClusterOperation } from '../../../kinds/cluster-operation/index.ts';
import { createSteps } from '../../../kinds/cluster-operation/steps/create.ts';
import { deleteSteps } from '../../../kinds/cluster-operation/steps/delete.ts';
import { type ActionName, actionNames, actions } from './actions.ts';
import type { Scene } from './scene.ts';

const minute = 60_000;
const longestWait = 90 * minute;

export const states: readonly string[] = [
  ...createSteps.map((step) => `create ${step}`),
  'none',
  ...deleteSteps.map((step) => `delete ${step}`),
];
/** What makes nothing that its users do not want any more. */
const whileDeleting: readonly ActionName[] = [
  'scale workers',
  'scale control plane',
  'pause',
  'delete a machine',
  'end an instance',
  'interrupt a spot instance',
  'lose an etcd member',
  'edit tags',
  'delete the infrastructure of a machine',
  'cancel the operation',
  'lose a token',
  'answer a token twice',
  'crash a task',
  'stop the execution',
  'deny access',
];

/** Resolves once an operation of that type says that it is at that step, or after long enough. */
const reached = ({ world, clock, wish }: Scene, type: string, step: string): Promise<void> =>
  new Promise((resolve) => {
    const cancel = clock.after(longestWait, resolve);
    world.mirror.onCommit(({ object }) => {
      if (object?.kind !== 'ClusterOperation') return;
      const { spec, status } = object as ClusterOperation;
      if (spec?.type !== type || spec.clusterName !== wish.name || status?.step !== step) return;
      cancel();
      resolve();
    });
  });

/**
 * Acts at so many of the states, in their order; at the last of them the cluster may be on its way to nothing. `number`
 * decides the first state and what is done in it: numbers that follow each other come through all of them.
 */
export const interfere = async (scene: Scene, times: number, number: number): Promise<void> => {
  const { client, draw, life, wish, settled, tell } = scene;
  const first = number % states.length;
  const more = Array.from({ length: Math.max(0, times - 1) }, () => draw.whole(first, states.length - 1));
  const actionOf = (position: number): ActionName => {
    const possible = life.wish ? actionNames : whileDeleting;
    return position === 0 ? possible[Math.floor(number / states.length) % possible.length]! : draw.pick(possible);
  };
  for (const [position, index] of [first, ...more.sort((a, b) => a - b)].entries()) {
    const [type, step] = states[index]!.split(' ');
    if (type === 'none' || (type === 'delete' && life.wish)) await settled(90);
    if (type === 'delete' && life.wish) {
      const arrived = reached(scene, 'delete', step!);
      tell('delete');
      life.wish = undefined;
      await client.remove('Cluster', wish.name);
      await arrived;
    } else if (step) await reached(scene, type!, step);
    const action = actionOf(position);
    tell(action);
    await actions[action](scene);
  }
};
