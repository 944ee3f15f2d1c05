/** One object has the paused annotation, with any value. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { controlled, hostOf, isGoing, verdictOf } from '../../invariants/relations.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlane, controlPlanesOf, deployment, type ScenarioContext, workersOf } from '../context.ts';

const minute = 60_000;
const annotation = 'cluster.x-k8s.io/paused';
/** Passes that began before the pause end in this time, unless a worker freezes. */
const underWay = 4 * minute;

interface Part {
  kind: string;
  /** The object to pause; undefined when there is none. */
  find: (context: ScenarioContext) => KubeObject | undefined;
  /** Requests a change that the object's controller would have to make. */
  ask: (context: ScenarioContext, part: KubeObject) => Promise<unknown>;
  /** Measures what that controller changes. */
  measure: (context: ScenarioContext, part: KubeObject) => unknown;
}

const setsOf = ({ world }: ScenarioContext, owner: KubeObject) =>
  controlled<MachineSet>(world.mirror, 'MachineSet', owner);
const moreWorkers = (context: ScenarioContext) => {
  context.desired.workers += 1;
  return context.client.scale('MachineDeployment', deployment(context), context.desired.workers);
};
const aWorker = (context: ScenarioContext): Machine | undefined => workersOf(context).find((one) => !isGoing(one));
const remove = ({ client }: ScenarioContext, { metadata }: KubeObject) => client.remove('Machine', metadata.name);

const parts: readonly Part[] = [
  {
    kind: 'MachineDeployment',
    find: (context) => context.world.mirror.get('MachineDeployment', 'default', deployment(context)),
    ask: moreWorkers,
    measure: (context, part) => setsOf(context, part).map(({ spec }) => spec?.replicas),
  },
  {
    kind: 'MachineSet',
    find: (context) => {
      const owner = context.world.mirror.get('MachineDeployment', 'default', deployment(context));
      return owner && setsOf(context, owner).find(({ spec }) => (spec?.replicas ?? 0) > 0);
    },
    ask: moreWorkers,
    measure: ({ world }, part) => controlled(world.mirror, 'Machine', part).length,
  },
  {
    kind: 'KubeadmControlPlane',
    find: (context) => context.world.mirror.get('KubeadmControlPlane', 'default', controlPlane(context)),
    ask: (context) => {
      context.desired.controlPlanes = context.desired.controlPlanes === 1 ? 3 : context.desired.controlPlanes;
      return context.client.scale('KubeadmControlPlane', controlPlane(context), context.desired.controlPlanes);
    },
    measure: (context) => controlPlanesOf(context).length,
  },
  {
    kind: 'Machine',
    find: aWorker,
    ask: remove,
    measure: (context, part) => {
      const host = hostOf(context.world.mirror, part as Machine);
      return host && !isGoing(host);
    },
  },
  {
    kind: 'AWSMachine',
    find: (context) => {
      const worker = aWorker(context);
      return worker && hostOf(context.world.mirror, worker);
    },
    ask: (context, { metadata }) => {
      const of = workersOf(context).find(({ spec }) => spec?.infrastructureRef?.name === metadata.name);
      return of ? remove(context, of) : Promise.resolve();
    },
    measure: ({ world }, part) => {
      const { instanceID } = (part.spec ?? {}) as { instanceID?: string };
      return world.account.list().find(({ id }) => id === instanceID)?.state;
    },
  },
];

export const pauseObject = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, world } = context;
  await settled(60);
  const part = draw.pick(parts);
  const found = part.find(context);
  if (!found) return;
  const { kind } = part;
  const { name, uid } = found.metadata;
  const mark = (value: string | null) =>
    client.patch(kind, name, { metadata: { annotations: { [annotation]: value } } });
  const { code } = await mark(draw.pick(['', 'true', 'false']));
  if (code !== 200) return;
  await sleep(clock, underWay);
  const before = world.mirror.get(kind, 'default', name);
  if (before?.metadata.uid !== uid) return;
  const measured = JSON.stringify(part.measure(context, before!));
  await part.ask(context, before!);
  const until = clock.now() + draw.spread(2 * minute, 30 * minute);
  while (clock.now() < until) {
    await sleep(clock, 20_000);
    const now = world.mirror.get(kind, 'default', name);
    const is = now ? JSON.stringify(part.measure(context, now)) : 'gone';
    // A frozen worker, or one that takes over from a crashed one, acts on the former state.
    if (is !== measured && !world.isReplaced)
      throw new Violation('pauses', `${kind} ${name} is paused, but has ${is} instead of ${measured}`);
    // The infrastructure provider's kinds have no Paused condition.
    const saysSo = !now || kind.startsWith('AWS') || verdictOf(now, 'Paused') === 'True';
    if (!saysSo && !world.isDisturbed)
      throw new Violation('pauses', `${kind} ${name} is paused, but has no condition Paused`);
  }
  await mark(null);
};
