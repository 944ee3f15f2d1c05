/**
 * No two claims have one address, whatever passes overlap: passes without a lease stop between any
 * two of their reads and writes, while claims come and go.
 */
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../adapters/memory/random.ts';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Context, Reader } from '../../../machinery/api/reconcile.ts';
import type { IPAddress } from '../ip-address/schema.ts';
import type { IPAddressClaim } from '../ip-address-claim/schema.ts';
import { observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { Pool } from './schema.ts';

const group = 'ipam.cluster.x-k8s.io';
const poolRef = { apiGroup: group, kind: 'InClusterIPPool', name: 'pool' };

interface State {
  pool: Pool;
  claims: IPAddressClaim[];
  addresses: IPAddress[];
}

const start = (addresses: string): State => ({
  pool: {
    apiVersion: `${group}/v1alpha2`,
    kind: 'InClusterIPPool',
    metadata: { namespace: 'default', name: 'pool', uid: 'pool', resourceVersion: '1' },
    spec: { addresses: [addresses], prefix: 24 },
  },
  claims: [],
  addresses: [],
});

const claimNamed = (name: string, uid = name): IPAddressClaim => ({
  apiVersion: `${group}/v1beta2`,
  kind: 'IPAddressClaim',
  metadata: { namespace: 'default', name, uid },
  spec: { poolRef },
});

const readerOf = ({ claims, addresses }: State): Reader =>
  ({
    list: (kind: string) => ({ state: 'found', value: kind === 'IPAddress' ? [...addresses] : [...claims] }),
    get: () => ({ state: 'absent' }),
  }) as unknown as Reader;

/** A pass in steps: each `yield` is a moment at which others may run. */
function* passOf(state: State) {
  const pool = structuredClone(state.pool);
  yield;
  const context = {} as Context;
  const plan = reconcile(observe(pool, readerOf(state), context));
  yield;
  if (plan.intent) {
    if (state.pool.metadata.resourceVersion !== pool.metadata.resourceVersion) return;
    const next = mergePatch(state.pool as unknown as JsonValue, plan.intent as JsonValue) as unknown as Pool;
    const resourceVersion = String(Number(pool.metadata.resourceVersion) + 1);
    state.pool = { ...next, metadata: { ...next.metadata, resourceVersion } };
  }
  for (const action of plan.actions ?? []) {
    yield;
    create(state, action);
  }
}

const create = (state: State, action: Action): void => {
  if (action.do !== 'create') return;
  const object = action.object as KubeObject as IPAddress;
  if (!state.addresses.some(({ metadata }) => metadata.name === object.metadata.name)) state.addresses.push(object);
};

/** The addresses of claims that exist. */
const bound = ({ claims, addresses }: State): string[] =>
  addresses
    .filter(({ metadata }) =>
      claims.some((claim) => metadata.ownerReferences?.some(({ uid }) => uid === claim.metadata.uid)),
    )
    .map(({ spec }) => spec!.address);

const finish = (pass: Iterator<unknown>): void => {
  while (!pass.next().done);
};

describe('two passes that read the same state', () => {
  it('give one address once: the second fails at the record', () => {
    const state = start('10.0.0.10-10.0.0.11');
    state.claims.push(claimNamed('a'));
    const [first, second] = [passOf(state), passOf(state)];
    // Both have read the pool; the claims differ, so that both choose 10.0.0.10 for another one.
    first.next();
    first.next();
    state.claims = [claimNamed('b')];
    second.next();
    second.next();
    finish(second);
    state.claims.push(claimNamed('a'));
    finish(first);
    expect(state.addresses.map(({ metadata, spec }) => [metadata.name, spec?.address])).toEqual([['b', '10.0.0.10']]);
    finish(passOf(state));
    expect(bound(state)).toEqual(['10.0.0.10', '10.0.0.11']);
  });

  it('give the recorded address even if the pass that chose it never created it', () => {
    const state = start('10.0.0.10-10.0.0.11');
    state.claims.push(claimNamed('z'));
    const dead = passOf(state);
    for (let step = 0; step < 3; step++) dead.next();
    state.claims.unshift(claimNamed('a'));
    finish(passOf(state));
    expect(state.addresses.map(({ metadata, spec }) => `${metadata.name} ${spec?.address}`).sort()).toEqual([
      'a 10.0.0.11',
      'z 10.0.0.10',
    ]);
  });
});

describe('in any order', () => {
  it.each(Array.from({ length: 60 }, (_, seed) => seed))('no two claims have one address (seed %i)', (seed) => {
    const random = seededRandom(seed);
    const below = (limit: number) => random.bytes(1)[0]! % limit;
    const state = start('10.0.0.10-10.0.0.14');
    const passes: Iterator<unknown>[] = [];
    let [born, most] = [0, 0];
    for (let step = 0; step < 400; step++) {
      const what = below(12);
      if (what % 6 === 0 && state.claims.length < 7) state.claims.push(claimNamed(`c${below(9)}`, `u${born++}`));
      else if (what === 1 && state.claims.length > 0) {
        const [gone] = state.claims.splice(below(state.claims.length), 1);
        // The claim controller releases the address before the claim goes.
        state.addresses = state.addresses.filter(({ metadata }) => metadata.name !== gone!.metadata.name);
      } else if (what === 2 && passes.length < 4) passes.push(passOf(state));
      else if (passes.length > 0) {
        const index = below(passes.length);
        if (passes[index]!.next().done) passes.splice(index, 1);
      }
      state.claims = state.claims.filter(
        (claim, i) => state.claims.findIndex(({ metadata }) => metadata.name === claim.metadata.name) === i,
      );
      const used = bound(state);
      expect(new Set(used).size).toBe(used.length);
      most = Math.max(most, used.length);
    }
    expect(most).toBeGreaterThan(0);
  });
});
