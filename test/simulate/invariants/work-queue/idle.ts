import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { WorkItem, WorkKey } from '../../../../machinery/controller/index.ts';
import { itemKeyOf, workItemOf } from '../../../../machinery/controller/work-item.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { dice } from '../../dice.ts';
import type { Rule } from '../rule.ts';

/** The time in which an event reaches the controller without faults. */
const telling = 20_000;
/**
 * Message-only changes wait for the debounce at each controller: from a Machine through its set to
 * its Cluster.
 */
const wording = 150_000;
/**
 * Checks after each commit, of randomly chosen objects, because an unexpected one may be affected.
 */
const looks = 6;

const isIdle = ({ want, done, lease, due, debouncedUntil, deferredSince, attempts }: WorkItem, now: number): boolean =>
  want === done &&
  lease === undefined &&
  deferredSince === undefined &&
  attempts === 0 &&
  (debouncedUntil ?? 0) <= now &&
  (due ?? Number.POSITIVE_INFINITY) > now + telling;

const ownersOf = (object: KubeObject | undefined): number => object?.metadata.ownerReferences?.length ?? 0;

export const idleMeansDone: Rule = ({ world }, broken) => {
  const { mirror, clock, looker } = world;
  const draw = dice(world.seed, 'resting');
  /** Undefined also when the table is throttled: the run is disturbed then, and the check ends. */
  const itemOf = async (key: WorkKey) =>
    workItemOf(await world.work.get(itemKeyOf(key), { consistent: true }).catch(() => undefined));
  /**
   * An object that lost an owner still counts for some controllers, but only its deletion notifies
   * them.
   */
  let isLetGo = false;
  const look = async () => {
    const { name: controller, kind, type } = draw.pick(looker.controllers);
    const objects = mirror.all(kind);
    if (objects.length === 0) return;
    const { namespace = '', name, uid } = draw.pick(objects).metadata;
    const key = { controller, type, namespace, name };
    const before = await itemOf(key);
    if (!before || !isIdle(before, clock.now())) return;
    const { wants, isWordy, isAsking } = await looker.look(key, before);
    if (!wants || (isAsking && before.due !== undefined)) return;
    await sleep(clock, isWordy ? wording : telling);
    // The work item of a recreated object starts anew.
    if (mirror.get(kind, namespace, name)?.metadata.uid !== uid) return;
    if (!world.isDisturbed && !isLetGo && (await itemOf(key))?.want === before.want)
      mirror.breaks(broken(`${controller} of ${namespace}/${name} is idle, but would ${wants}`));
  };
  return {
    onCommit: ({ type, object, before }) => {
      isLetGo ||= object !== undefined && ownersOf(before) > ownersOf(object);
      if (type === 'events' || isLetGo || world.isDisturbed) return;
      for (let left = looks; left > 0; left--)
        clock.after(draw.spread(1000, 20_000), () => void (world.isDisturbed || look()));
    },
  };
};
