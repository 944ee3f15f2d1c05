import type { Commit } from '../mirror.ts';
import type { World } from '../site.ts';

export class Violation extends Error {
  override readonly name = 'Violation';
  readonly invariant: string;
  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.invariant = invariant;
  }
}

export interface Invariants {
  readonly checks: number;
}

type Check = (commit: Commit, world: World) => void;

/** Of one object: positions only grow. */
const monotonic = (): Check => {
  const last = new Map<string, number>();
  return ({ type, position, namespace, name }) => {
    const id = `${type} ${namespace}/${name}`;
    const before = last.get(id) ?? 0;
    if (position <= before) throw new Violation('positions grow', `${id} at ${position}, after ${before}`);
    last.set(id, position);
  };
};

/** No machine has two instances, and everything says whose it is. */
const nothingDoubled: Check = ({ type }, { account }) => {
  if (!type.startsWith('awsmachines')) return;
  const byName = new Map<string, string>();
  for (const { type: resource, id, tags } of account.list()) {
    if (resource !== 'instance') continue;
    const owner = tags.MachineName ?? tags.Name ?? '';
    if (byName.has(owner)) throw new Violation('one instance a machine', `${owner} has ${byName.get(owner)} and ${id}`);
    byName.set(owner, id);
  }
};

export const createInvariants = (world: World): Invariants => {
  const checks: Check[] = [monotonic(), nothingDoubled];
  let count = 0;
  world.mirror.onCommit((commit) => {
    for (const check of checks) {
      count += 1;
      check(commit, world);
    }
  });
  return {
    get checks() {
      return count;
    },
  };
};
