import { describe, expect, it } from 'vitest';
import { annotations } from './names.ts';
import { createWorld } from './world.fixture.ts';

describe('a pass that crashes', () => {
  it('after any effect leaves enough state for later passes to create everything exactly once', async () => {
    for (const dying of [0, 1, 2, 3, 4, 5]) {
      for (let effects = 0; effects < 6; effects++) {
        const world = createWorld();
        for (let i = 0; i < 10; i++) await world.pass(i === dying ? effects : Number.POSITIVE_INFINITY);
        const kinds = Object.groupBy(world.objects(), ({ kind }) => kind);
        const names = (kind: string) => (kinds[kind] ?? []).map(({ metadata }) => metadata.name);
        expect(names('Machine')).toHaveLength(1);
        expect(names('AWSMachine')).toEqual(names('Machine'));
        expect(names('KubeadmConfig')).toEqual(names('Machine'));
        expect(names('Secret').sort()).toEqual(['c-ca', 'c-etcd', 'c-kubeconfig', 'c-proxy', 'c-sa']);
        expect(world.current().metadata.annotations?.[annotations.creating]).toBeUndefined();
      }
    }
  });

  it('converges: the last passes write nothing', async () => {
    const world = createWorld();
    for (let i = 0; i < 10; i++) await world.pass(Number.POSITIVE_INFINITY);
    const before = world.objects();
    await world.pass(Number.POSITIVE_INFINITY);
    expect(world.objects()).toBe(before);
  });
});
