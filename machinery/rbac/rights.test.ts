import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { type Binding, policyMark, policyTypes, type Role } from '../api/rbac.ts';
import { createMarked } from '../marked.ts';
import type { Listing } from '../store/store.ts';
import { clusterRole, clusterRoleBinding } from './bootstrap.ts';
import { createStoredRights } from './rights.ts';

const user = { username: 'ann', groups: ['team'] };
const asked = { user, verb: 'get', resource: 'x' };
const role: Role = clusterRole('r', [{ apiGroups: [''], resources: ['x'], verbs: ['get'] }]);
const binding: Binding = clusterRoleBinding('b', 'r', ['team']);
const whole: Binding = clusterRoleBinding('cluster-admin', 'cluster-admin', ['system:masters']);
const [roles, bindings] = [policyTypes.clusterRoles, policyTypes.clusterRoleBindings];

/** A store whose lists may lag behind its mark. */
const setUp = ({ lag = 0 } = {}) => {
  const clock = virtualClock(0);
  const stored: Record<string, (Role | Binding)[]> = { [roles]: [role], [bindings]: [whole, binding] };
  const positions: Record<string, number> = { [roles]: 1, [bindings]: 2 };
  const calls = { marks: 0, lists: 0 };
  let left = lag;
  let failure: Error | undefined;
  const marked = createMarked({
    clock,
    mark: policyMark,
    what: 'the rights of users',
    store: {
      mark: async (name) => {
        expect(name).toBe(policyMark);
        calls.marks++;
        if (failure) throw failure;
        return { ...positions };
      },
      list: async (type): Promise<Listing> => {
        calls.lists++;
        if (type === bindings && left > 0) {
          left--;
          return { objects: [whole], position: positions[type]! - 1 };
        }
        return { objects: stored[type] ?? [], position: positions[type] ?? 0 };
      },
    },
  });
  const rights = createStoredRights({ marked, standIn: async (objects) => objects });
  const change = (objects: Binding[]) => {
    stored[bindings] = objects;
    positions[bindings] = positions[bindings]! + 1;
  };
  const allowed = async () => (await rights.authorize(asked)).allowed;
  return {
    clock,
    rights,
    calls,
    change,
    allowed,
    fail: (error: Error | undefined) => {
      failure = error;
    },
  };
};

describe('stored rights', () => {
  it('are read once while they do not change', async () => {
    const { clock, calls, allowed } = setUp();
    for (let seconds = 0; seconds < 5; seconds++) {
      expect([await allowed(), await allowed()]).toEqual([true, true]);
      await clock.advance(1001);
    }
    expect(calls).toEqual({ marks: 5, lists: 2 });
  });

  it('wait for the objects of a mark that is visible before them', async () => {
    const { clock, allowed, calls } = setUp({ lag: 3 });
    const decided = allowed();
    await clock.advance(100);
    expect(await decided).toBe(true);
    expect(calls.lists).toBe(5);
  });

  it('are unknown while those objects do not appear', async () => {
    const { clock, allowed } = setUp({ lag: 1000 });
    const decided = allowed().catch((error: { code: number }) => error.code);
    await clock.advance(1000);
    expect(await decided).toBe(503);
  });

  it('end within a second, and at once where this process changed them', async () => {
    const { clock, change, allowed, rights } = setUp();
    expect(await allowed()).toBe(true);
    change([whole]);
    expect(await allowed()).toBe(true);
    await clock.advance(1001);
    expect(await allowed()).toBe(false);
    change([whole, binding]);
    rights.changed();
    expect(await allowed()).toBe(true);
    change([whole]);
    rights.changed();
    expect(await allowed()).toBe(false);
  });

  it('are read again before they refuse', async () => {
    const { change, allowed } = setUp();
    change([whole]);
    expect(await allowed()).toBe(false);
    change([whole, binding]);
    expect(await allowed()).toBe(true);
  });

  it('count no read that began before a change of this process', async () => {
    const { change, allowed, rights } = setUp();
    const early = allowed();
    change([whole]);
    rights.changed();
    await early;
    expect(await allowed()).toBe(false);
  });

  it('allow nothing when they cannot be read, and recover', async () => {
    const { clock, allowed, fail } = setUp();
    expect(await allowed()).toBe(true);
    fail(new Error('the table is gone'));
    await clock.advance(1001);
    await expect(allowed()).rejects.toThrow('the table is gone');
    fail(undefined);
    expect(await allowed()).toBe(true);
  });

  it('foresee by what they know', async () => {
    const { allowed, rights } = setUp();
    expect(rights.foresee!(asked)).toBeUndefined();
    await allowed();
    expect(rights.foresee!(asked)).toMatchObject({ allowed: true });
  });
});
