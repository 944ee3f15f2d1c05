import { describe, expect, it } from 'vitest';
import {
  a,
  ago,
  b,
  c,
  context,
  controlPlaneOf,
  creation,
  does,
  type MachineSituation,
  nodeNameOf,
  type Situation,
  three,
} from './control-plane.fixture.ts';
import { annotations } from './names.ts';
import { lastRemediation, remediate } from './remediation.ts';
import { scale } from './scale.ts';

describe('remediation', () => {
  const ill = (machine: MachineSituation): MachineSituation => ({ ...machine, healthy: false, unhealthy: true });
  const tried = (retryCount: number, minutes: number) => ({
    [annotations.remediationFor]: JSON.stringify({ machine: 'x', timestamp: ago(minutes), retryCount }),
  });
  it.each<Situation & { rule: string; expected: string[] | undefined }>([
    {
      rule: 'replaces the unhealthy machine',
      machines: [ill(a), b, c],
      expected: ['patch Machine a', 'delete Machine a'],
    },
    {
      rule: 'moves the leadership first',
      machines: [ill(a), b, c],
      leader: 'a',
      expected: [`etcdMoveLeader id-${nodeNameOf('c')}`, 'patch Machine a', 'delete Machine a'],
    },
    {
      rule: 'takes one at a time',
      machines: [ill(a), b, c],
      annotations: { [annotations.remediationInProgress]: '{}' },
      expected: undefined,
    },
    { rule: 'leaves the only machine', machines: [ill(a)], replicas: 1, expected: ['patch Machine a'] },
    {
      rule: 'leaves it while its successor is there',
      machines: [ill(a), b],
      replicas: 1,
      expected: ['patch Machine a'],
    },
    {
      rule: 'waits while another is being deleted',
      machines: [ill(a), b, { ...c, deleting: true }],
      expected: ['patch Machine a'],
    },
    {
      rule: 'waits while another comes up',
      machines: [ill(a), b, { ...c, node: false }],
      expected: ['patch Machine a'],
    },
    {
      rule: 'does not break the quorum',
      machines: [ill(a), { ...b, healthy: false }, c],
      expected: ['patch Machine a'],
    },
    {
      rule: 'may replace the first machine of all',
      machines: [{ ...ill(a), node: false }],
      initialized: false,
      expected: ['patch Machine a', 'delete Machine a'],
    },
    { rule: 'has nothing to do when nobody is ill', machines: three, expected: undefined },
  ])('$rule', ({ expected, ...situation }) =>
    expect(does(remediate(controlPlaneOf(situation), context()))).toEqual(expected));

  it.each<{ rule: string; notes: Record<string, string>; expected: number | undefined }>([
    { rule: 'counts the first try as none', notes: {}, expected: 0 },
    { rule: 'counts on when the last was a short time ago', notes: tried(1, 10), expected: 2 },
    { rule: 'begins anew after a healthy period', notes: tried(1, 90), expected: 0 },
    { rule: 'gives up after so many', notes: tried(3, 10), expected: undefined },
    { rule: 'waits between tries', notes: tried(1, 1), expected: undefined },
  ])('$rule', ({ notes, expected }) => {
    const spec = { remediation: { maxRetry: 3, retryPeriodSeconds: 300 } };
    const plan = remediate(controlPlaneOf({ machines: [{ ...ill(a), annotations: notes }, b, c], spec }), context());
    const note = plan?.intent?.metadata?.annotations?.[annotations.remediationInProgress];
    expect(note && JSON.parse(note).retryCount).toBe(expected);
  });

  it.each([
    { rule: 'forgets what it noted and did not carry out', machines: [ill(a), b, c], forgets: true },
    { rule: 'forgets it also when the machine is well again', machines: three, forgets: true },
    { rule: 'remembers it while the machine goes', machines: [{ ...ill(a), deleting: true }, b, c], forgets: false },
    { rule: 'remembers it until there is another machine', machines: [b, c], forgets: false },
  ])('$rule', ({ machines, forgets }) => {
    const notes = {
      [annotations.remediationInProgress]: JSON.stringify({ machine: 'a', timestamp: ago(1), retryCount: 0 }),
    };
    const plan = remediate(controlPlaneOf({ machines, annotations: notes }), context());
    const forgotten = { metadata: { annotations: { [annotations.remediationInProgress]: null } } };
    expect(plan).toEqual(forgets ? { intent: forgotten, again: true } : undefined);
  });

  it('replaces even while another is ill, when it is on its way', () => {
    const notes = {
      [annotations.remediationInProgress]: JSON.stringify({ machine: 'x', timestamp: ago(1), retryCount: 0 }),
    };
    const plan = scale(controlPlaneOf({ machines: [a, { ...b, healthy: true }], annotations: notes }), context());
    expect(does(plan)).toEqual(creation('kcp-xxxx0'));
    const machine = plan!.actions!.at(-1) as { object: { metadata: { annotations: Record<string, string> } } };
    expect(machine.object.metadata.annotations[annotations.remediationFor]).toBe(
      notes[annotations.remediationInProgress],
    );
  });
});

it('remembers the last of several remediations, whoever carries it', () => {
  const carried = (name: string, minutes: number) => ({
    [annotations.remediationFor]: JSON.stringify({ machine: name, timestamp: ago(minutes), retryCount: 0 }),
  });
  const machines = [
    { ...a, annotations: carried('first', 30) },
    { ...b, annotations: carried('last', 5) },
    { ...c, annotations: carried('second', 20) },
  ];
  expect(lastRemediation(controlPlaneOf({ machines }))?.machine).toBe('last');
});
