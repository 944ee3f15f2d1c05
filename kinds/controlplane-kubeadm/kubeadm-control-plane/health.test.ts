import { expect, it } from 'vitest';
import { controlPlaneOf, type MachineSituation } from './control-plane.fixture.ts';
import { componentsHealthy, etcdHealthy } from './health.ts';

const a: MachineSituation = { name: 'a' };
it.each<{ rule: string; more: MachineSituation[]; etcd: string; components: string }>([
  { rule: 'of machines that work', more: [{ name: 'b' }], etcd: 'True', components: 'True' },
  { rule: 'beside one that has no host yet', more: [{ name: 'b', node: false }], etcd: 'True', components: 'True' },
  {
    rule: 'beside one whose host runs and has not joined',
    more: [{ name: 'b', node: false, running: 1 }],
    etcd: 'Unknown',
    components: 'Unknown',
  },
  {
    rule: 'beside one that does not work',
    more: [
      { name: 'b', healthy: false },
      { name: 'c', node: false },
    ],
    etcd: 'Unknown',
    components: 'False',
  },
])('the health $rule', ({ more, etcd, components }) => {
  const controlPlane = controlPlaneOf({ machines: [a, ...more] });
  const said = [...etcdHealthy(controlPlane, true), componentsHealthy(controlPlane, true)];
  expect(said.map(({ status }) => status)).toEqual([etcd, components]);
  expect(said.map(({ message }) => message).join()).not.toContain('Machine c:');
});
