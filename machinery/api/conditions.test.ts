import { describe, expect, it } from 'vitest';
import {
  aggregateConditions,
  aggregateLegacy,
  legacyFalse,
  legacyTrue,
  mirrorCondition,
  sortConditions,
  summarizeConditions,
  summarizeLegacy,
  withConditions,
} from './conditions.ts';
import type { ConditionDraft } from './reconcile.ts';

const condition = (
  type: string,
  status: ConditionDraft['status'],
  message = '',
  reason = 'Because',
): ConditionDraft => ({
  type,
  status,
  reason,
  message,
});
const reasons = { issue: 'NotReady', unknown: 'ReadyUnknown', info: 'Ready' };

describe('summarizeConditions', () => {
  const of = ['InfrastructureReady', 'NodeHealthy', 'Deleting'];
  const negative = ['Deleting'];
  const good = [
    condition('InfrastructureReady', 'True'),
    condition('NodeHealthy', 'True'),
    condition('Deleting', 'False'),
  ];
  it.each([
    { rule: 'is True when nothing is wrong', conditions: good, is: ['True', 'Ready', ''] },
    {
      rule: 'an issue makes it False and its message is a bullet',
      conditions: withConditions(good, condition('NodeHealthy', 'False', 'kubelet stopped')),
      is: ['False', 'NotReady', '* NodeHealthy: kubelet stopped'],
    },
    {
      rule: 'of negative polarity, True is the issue',
      conditions: withConditions(good, condition('Deleting', 'True', 'going')),
      is: ['False', 'NotReady', '* Deleting: going'],
    },
    {
      rule: 'a missing condition is unknown',
      conditions: good.slice(1),
      is: ['Unknown', 'ReadyUnknown', '* InfrastructureReady: Condition not yet reported'],
    },
    {
      rule: 'issues outrank unknowns, messages keep the order of relevance, and a reason stands in for no message',
      conditions: [
        condition('NodeHealthy', 'False'),
        condition('InfrastructureReady', 'Unknown', 'who knows'),
        good[2]!,
      ],
      is: ['False', 'NotReady', '* InfrastructureReady: who knows\n* NodeHealthy: Because'],
    },
    {
      rule: 'information is shown only when all is well',
      conditions: withConditions(good, condition('NodeHealthy', 'True', 'fine')),
      is: ['True', 'Ready', '* NodeHealthy: fine'],
    },
    {
      rule: 'a message of several lines is indented below its bullet',
      conditions: withConditions(good, condition('NodeHealthy', 'False', '* a\n* b')),
      is: ['False', 'NotReady', '* NodeHealthy:\n  * a\n  * b'],
    },
    {
      rule: 'lines without a bullet get one',
      conditions: withConditions(good, condition('NodeHealthy', 'False', 'a:\n* b')),
      is: ['False', 'NotReady', '* NodeHealthy:\n  * a:\n    * b'],
    },
  ])('$rule', ({ conditions, is }) => {
    const result = summarizeConditions(conditions, { type: 'Ready', of, negative, reasons });
    expect([result.status, result.reason, result.message]).toEqual(is);
  });
});

describe('aggregateConditions', () => {
  const machine = (name: string, status: ConditionDraft['status'], message = '', controlPlaneMachine = false) => ({
    kind: 'Machine',
    name,
    conditions: [condition('Ready', status, message)],
    controlPlaneMachine,
  });
  const aggregate = (...machines: Parameters<typeof aggregateConditions>[0]) =>
    aggregateConditions(machines, { of: 'Ready', type: 'MachinesReady', reasons });
  it.each([
    { rule: 'is True when all are', machines: [machine('a', 'True')], is: ['True', ''] },
    {
      rule: 'names one object in the singular',
      machines: [machine('a', 'False', 'x')],
      is: ['False', '* Machine a: x'],
    },
    {
      rule: 'groups objects by equal message, sorted by name',
      machines: [machine('b', 'False', 'x'), machine('a', 'False', 'x'), machine('c', 'True')],
      is: ['False', '* Machines a, b: x'],
    },
    {
      rule: 'names three of many',
      machines: ['a', 'b', 'c', 'd', 'e'].map((name) => machine(name, 'False', 'x')),
      is: ['False', '* Machines a, b, c, ... (2 more): x'],
    },
    {
      rule: 'issues come before unknowns, more frequent messages before rarer ones',
      machines: [
        machine('a', 'Unknown', 'u'),
        machine('b', 'False', 'x'),
        machine('c', 'False', 'y'),
        machine('d', 'False', 'y'),
      ],
      is: ['False', '* Machines c, d: y\n* Machine b: x\n* Machine a: u'],
    },
    {
      rule: 'counts what does not fit into three messages',
      machines: ['a', 'b', 'c', 'd', 'e']
        .map((name) => machine(name, 'False', name))
        .concat(machine('f', 'Unknown', 'f')),
      is: [
        'False',
        '* Machine a: a\n* Machine b: b\n* Machine c: c\nAnd 2 Machines with other issues\nAnd 1 Machine with status unknown',
      ],
    },
    {
      rule: 'control-plane machines come first',
      machines: [machine('a', 'False', 'x'), machine('b', 'Unknown', 'u', true)],
      is: ['False', '* Machine b: u\n* Machine a: x'],
    },
    {
      rule: 'an object that does not report it is unknown',
      machines: [{ kind: 'Machine', name: 'a', conditions: undefined }],
      is: ['Unknown', '* Machine a: Condition Ready not yet reported'],
    },
  ])('$rule', ({ machines, is }) => {
    const result = aggregate(...machines);
    expect([result.status, result.message]).toEqual(is);
  });
  it('of negative polarity, is False when nothing is wrong', () => {
    const source = { kind: 'MachineSet', name: 'a', conditions: [condition('ScalingUp', 'False')] };
    expect(aggregateConditions([source], { of: 'ScalingUp', negative: true }).status).toBe('False');
  });
});

describe('mirrorCondition', () => {
  it('takes status, reason and message under the new type', () => {
    expect(mirrorCondition([condition('Ready', 'False', 'm', 'R')], 'Ready', 'InfrastructureReady')).toEqual(
      condition('InfrastructureReady', 'False', 'm', 'R'),
    );
  });
  it('gives a reason to a condition of the older form that has none', () => {
    expect(mirrorCondition([legacyTrue('Ready')], 'Ready', 'InfrastructureReady').reason).toBe('NoReasonReported');
  });
  it('uses the fallback, and is unknown without one', () => {
    const fallback = { status: 'True', reason: 'Ready', message: '' } as const;
    expect(mirrorCondition([], 'Ready', 'InfrastructureReady', fallback).status).toBe('True');
    expect(mirrorCondition(undefined, 'Ready', 'InfrastructureReady')).toEqual(
      condition('InfrastructureReady', 'Unknown', 'Condition Ready not yet reported', 'NotYetReported'),
    );
  });
});

it('conditions are ordered for readers', () => {
  const types = ['Deleting', 'Paused', 'Zebra', 'Ready', 'Available', 'MachinesReady'];
  expect(sortConditions(types.map((type) => ({ type }))).map((c) => c.type)).toEqual([
    'Available',
    'Ready',
    'MachinesReady',
    'Zebra',
    'Paused',
    'Deleting',
  ]);
});

describe('conditions of the older form', () => {
  const of = ['BootstrapReady', 'InfrastructureReady'];
  it.each([
    { rule: 'Ready is True when all are', conditions: of.map(legacyTrue), is: legacyTrue('Ready') },
    {
      rule: 'errors outrank information',
      conditions: [
        legacyFalse('BootstrapReady', 'Wait', 'Info', 'w'),
        legacyFalse('InfrastructureReady', 'Broken', 'Error', 'b'),
      ],
      is: legacyFalse('Ready', 'Broken', 'Error', 'b'),
    },
    {
      rule: 'the first of equals in the order of relevance speaks',
      conditions: [legacyFalse('InfrastructureReady', 'I', 'Info'), legacyFalse('BootstrapReady', 'B', 'Info')],
      is: legacyFalse('Ready', 'B', 'Info'),
    },
    { rule: 'nothing is summed up to nothing', conditions: [], is: undefined },
  ])('$rule', ({ conditions, is }) => expect(summarizeLegacy(conditions, { of })).toEqual(is));
  it('counts steps while only the named conditions are there', () => {
    const conditions = [legacyTrue('BootstrapReady'), legacyFalse('InfrastructureReady', 'I', 'Info', 'm')];
    const options = { of: [...of, 'NodeHealthy'], stepCounter: true, stepCounterIfOnly: of };
    expect(summarizeLegacy(conditions, options)?.message).toBe('1 of 2 completed');
    expect(summarizeLegacy([...conditions, legacyTrue('NodeHealthy')], options)?.message).toBe('m');
  });
  it('an aggregate says which object speaks', () => {
    const source = { kind: 'Machine', name: 'a', conditions: [legacyFalse('Ready', 'R', 'Warning')] };
    expect(aggregateLegacy('MachinesReady', [source])).toEqual(
      legacyFalse('MachinesReady', 'R @ Machine/a', 'Warning', '0 of 1 completed'),
    );
  });
});
