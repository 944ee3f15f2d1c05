/** Whatever got lost on its way: each object is looked at once a day by whoever looks after it, as long as nothing else happens. */
import { type Invariant, type Setting, Violation } from './invariant.ts';

const hour = 60 * 60_000;
/** A look that is asked for waits behind all that people ask for. */
const longest = 25 * hour;

/** What a sweep of the account sees is looked at more seldom. */
const isSwept = (controller: string) => controller.startsWith('aws-');

interface Asked {
  controller: string;
  namespace: string;
  name: string;
}
const idOf = ({ controller, namespace, name }: Asked) => `${controller} of ${namespace}/${name}`;

export const looked = ({ world }: Setting): Invariant => {
  const { clock, mirror, looker } = world;
  let changed = clock.now();
  const last = new Map<string, number>();
  world.onMessage((body) => last.set(idOf(JSON.parse(body) as Asked), clock.now()));
  const look = () => {
    clock.after(hour / 4, look);
    if (clock.now() - changed < longest || !world.awake) return;
    for (const { name: controller, kind } of looker.controllers)
      for (const { metadata } of isSwept(controller) ? [] : mirror.all(kind)) {
        const id = idOf({ controller, namespace: metadata.namespace ?? '', name: metadata.name });
        const since = Math.min(clock.now() - changed, clock.now() - (last.get(id) ?? changed));
        if (since >= longest) mirror.breaks(new Violation('looked at', `${id}, not once for a day`));
      }
  };
  clock.after(hour / 4, look);
  return {
    onCommit: ({ type }) => {
      if (type !== 'events') changed = clock.now();
    },
  };
};
