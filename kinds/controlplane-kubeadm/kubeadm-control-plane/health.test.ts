import { expect, it } from 'vitest';
import { controlPlaneOf, gone, type MachineState } from './control-plane.fixture.ts';
import { componentsHealthy, etcdHealthy } from './health.ts';
import { annotations } from './names.ts';

const a: MachineState = { name: 'a' };
it.each<{ rule: string; more: MachineState[]; etcd: string; components: string }>([
  { rule: 'is True for healthy machines', more: [{ name: 'b' }], etcd: 'True', components: 'True' },
  {
    rule: 'is True beside a machine without a host',
    more: [{ name: 'b', node: false }],
    etcd: 'True',
    components: 'True',
  },
  {
    rule: 'is not True beside a running host that has not joined',
    more: [{ name: 'b', node: false, running: 1 }],
    etcd: 'Unknown',
    components: 'Unknown',
  },
  {
    rule: 'is not True beside an unhealthy machine',
    more: [
      { name: 'b', healthy: false },
      { name: 'c', node: false },
    ],
    etcd: 'Unknown',
    components: 'False',
  },
  {
    rule: 'is True beside a machine in deletion that answers',
    more: [gone({ name: 'b' })],
    etcd: 'True',
    components: 'True',
  },
  {
    rule: 'is not True beside a machine in deletion whose etcd does not answer',
    more: [gone({ name: 'b', healthy: false })],
    etcd: 'Unknown',
    components: 'True',
  },
  {
    rule: 'is True beside a machine in deletion that has left etcd',
    more: [{ ...gone({ name: 'b', healthy: false }), annotations: { [annotations.cleanupHook]: undefined as never } }],
    etcd: 'True',
    components: 'True',
  },
])('etcd and component health $rule', ({ more, etcd, components }) => {
  const controlPlane = controlPlaneOf({ machines: [a, ...more] });
  const conditions = [...etcdHealthy(controlPlane, true), componentsHealthy(controlPlane, true)];
  expect(conditions.map(({ status }) => status)).toEqual([etcd, components]);
  expect(conditions.map(({ message }) => message).join()).not.toContain('Machine c:');
});
