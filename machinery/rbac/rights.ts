/**
 * The rights of users by the policy in the store, of which the process keeps a copy. One read tells
 * whether the copy is current, at most once a second.
 */
import { unavailable } from '../api/errors.ts';
import { type PolicyObjects, policyTypes, rbacGroup } from '../api/rbac.ts';
import { type Clock, sleep } from '../ports.ts';
import type { Rights } from '../server/rights.ts';
import type { Store } from '../store/store.ts';
import { createPolicy, type Policy } from './policy.ts';
import { isWhole } from './whole.ts';

/** Milliseconds for which a copy counts as current. */
const freshness = 1000;
/** Reads of a list that does not show a change yet whose mark is visible, and milliseconds between them. */
const mostReads = 20;
const pause = 25;

interface Known {
  /** The mark that was read before the objects. */
  mark: string;
  objects: PolicyObjects;
  policy: Policy;
}

export interface StoredRights extends Rights {
  /** The stored objects as this process knows them. */
  objects(): Promise<PolicyObjects>;
  /** Forgets that the copy is current, because this process has changed an object. */
  changed(): void;
}

export interface StoredRightsOptions {
  store: Pick<Store, 'list' | 'mark'>;
  clock: Clock;
  /** Puts defaults in the place of what a new installation has not written yet. */
  standIn: (objects: PolicyObjects) => Promise<PolicyObjects>;
}

const names = Object.keys(policyTypes) as (keyof PolicyObjects)[];

export const createStoredRights = ({ store, clock, standIn }: StoredRightsOptions): StoredRights => {
  let known: Known | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Known> | undefined;
  /** The comparisons with the store: how many have begun, and the number of the one behind the copy. */
  let [begun, compared] = [0, 0];
  /** Comparisons before this one are older than a change by this process. */
  let least = 0;

  /** A mark may be visible before the objects of its transaction. */
  const listed = async (type: string, least: number) => {
    for (let reads = 0; reads < mostReads; reads++) {
      const { objects, position } = await store.list(type);
      if (position >= least) return objects;
      await sleep(clock, pause);
    }
    throw unavailable('the rights of users are being written, please try again');
  };

  const read = async (): Promise<Known> => {
    const [at, number] = [clock.now(), ++begun];
    const positions = await store.mark(rbacGroup);
    const mark = JSON.stringify(positions ?? {});
    let made = known;
    if (made?.mark !== mark) {
      const lists = await Promise.all(
        names.map(async (name) => {
          const least = positions?.[policyTypes[name]];
          return [name, least === undefined ? [] : await listed(policyTypes[name], least)];
        }),
      );
      const objects = Object.fromEntries(lists) as unknown as PolicyObjects;
      made = { mark, objects, policy: createPolicy(isWhole(objects) ? objects : await standIn(objects)) };
    }
    if (number > compared) {
      known = made;
      [readAt, compared] = [at, number];
    }
    return made;
  };

  const compare = (): Promise<Known> => {
    const own = read().finally(() => {
      if (reading === own) reading = undefined;
    });
    reading = own;
    return own;
  };
  const knownNow = (): Known | Promise<Known> =>
    known && compared >= least && clock.now() - readAt <= freshness ? known : (reading ?? compare());
  /** The copy of a comparison that began after this one. */
  const knownAfter = async (number: number): Promise<Known> => {
    await reading;
    return known && compared > number ? known : (reading ?? compare());
  };

  return {
    authorize: async (attributes) => {
      const before = begun;
      const decision = (await knownNow()).policy.authorize(attributes);
      // Another process may just have granted it: only a copy that is newer than the request refuses.
      if (decision.allowed || compared > before) return decision;
      return (await knownAfter(before)).policy.authorize(attributes);
    },
    foresee: (attributes) => known?.policy.authorize(attributes),
    rulesFor: async (user, namespace) => (await knownNow()).policy.rulesFor(user, namespace),
    rulesOf: async (roleRef, namespace) => (await knownNow()).policy.rulesOf(roleRef, namespace),
    objects: async () => (await knownNow()).objects,
    changed: () => {
      least = begun + 1;
      reading = undefined;
    },
  };
};
