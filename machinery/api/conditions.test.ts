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
    { rule: 'is True without an issue', conditions: good, is: ['True', 'Ready', ''] },
    {
      rule: 'is False with an issue, whose message becomes a bullet',
      conditions: withConditions(good, condition('NodeHealthy', 'False', 'kubelet stopped')),
      is: ['False', 'NotReady', '* NodeHealthy: kubelet stopped'],
    },
    {
      rule: 'treats True as the issue for negative polarity',
      conditions: withConditions(good, condition('Deleting', 'True', 'going')),
      is: ['False', 'NotReady', '* Deleting: going'],
    },
    {
      rule: 'is Unknown when a condition is missing',
      conditions: good.slice(1),
      is: ['Unknown', 'ReadyUnknown', '* InfrastructureReady: Condition not yet reported'],
    },
    {
      rule: 'ranks issues before unknowns, keeps the given order of conditions, and replaces an empty message by the reason',
      conditions: [
        condition('NodeHealthy', 'False'),
        condition('InfrastructureReady', 'Unknown', 'who knows'),
        good[2]!,
      ],
      is: ['False', 'NotReady', '* InfrastructureReady: who knows\n* NodeHealthy: Because'],
    },
    {
      rule: 'shows informational messages only without an issue',
      conditions: withConditions(good, condition('NodeHealthy', 'True', 'fine')),
      is: ['True', 'Ready', '* NodeHealthy: fine'],
    },
    {
      rule: 'indents a multi-line message below its bullet',
      conditions: withConditions(good, condition('NodeHealthy', 'False', '* a\n* b')),
      is: ['False', 'NotReady', '* NodeHealthy:\n  * a\n  * b'],
    },
    {
      rule: 'adds a bullet to lines without one',
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
    { rule: 'is True when all are True', machines: [machine('a', 'True')], is: ['True', ''] },
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
      rule: 'ranks issues before unknowns, and frequent messages before rare ones',
      machines: [
        machine('a', 'Unknown', 'u'),
        machine('b', 'False', 'x'),
        machine('c', 'False', 'y'),
        machine('d', 'False', 'y'),
      ],
      is: ['False', '* Machines c, d: y\n* Machine b: x\n* Machine a: u'],
    },
    {
      rule: 'counts the objects beyond three messages',
      machines: ['a', 'b', 'c', 'd', 'e']
        .map((name) => machine(name, 'False', name))
        .concat(machine('f', 'Unknown', 'f')),
      is: [
        'False',
        '* Machine a: a\n* Machine b: b\n* Machine c: c\nAnd 2 Machines with other issues\nAnd 1 Machine with status unknown',
      ],
    },
    {
      rule: 'lists control plane machines first',
      machines: [machine('a', 'False', 'x'), machine('b', 'Unknown', 'u', true)],
      is: ['False', '* Machine b: u\n* Machine a: x'],
    },
    {
      rule: 'is Unknown for an object without the condition',
      machines: [{ kind: 'Machine', name: 'a', conditions: undefined }],
      is: ['Unknown', '* Machine a: Condition Ready not yet reported'],
    },
  ])('$rule', ({ machines, is }) => {
    const result = aggregate(...machines);
    expect([result.status, result.message]).toEqual(is);
  });
  it('is False without an issue for negative polarity', () => {
    const source = { kind: 'MachineSet', name: 'a', conditions: [condition('ScalingUp', 'False')] };
    expect(aggregateConditions([source], { of: 'ScalingUp', negative: true }).status).toBe('False');
  });
});

describe('mirrorCondition', () => {
  it('copies status, reason and message to the new type', () => {
    expect(mirrorCondition([condition('Ready', 'False', 'm', 'R')], 'Ready', 'InfrastructureReady')).toEqual(
      condition('InfrastructureReady', 'False', 'm', 'R'),
    );
  });
  it('fills in the reason of a v1beta1 condition that has none', () => {
    expect(mirrorCondition([legacyTrue('Ready')], 'Ready', 'InfrastructureReady').reason).toBe('NoReasonReported');
  });
  it('uses the fallback, and is Unknown without one', () => {
    const fallback = { status: 'True', reason: 'Ready', message: '' } as const;
    expect(mirrorCondition([], 'Ready', 'InfrastructureReady', fallback).status).toBe('True');
    expect(mirrorCondition(undefined, 'Ready', 'InfrastructureReady')).toEqual(
      condition('InfrastructureReady', 'Unknown', 'Condition Ready not yet reported', 'NotYetReported'),
    );
  });
});

it('orders conditions for readers', () => {
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

describe('v1beta1 conditions', () => {
  const of = ['BootstrapReady', 'InfrastructureReady'];
  it.each([
    { rule: 'are Ready when all are True', conditions: of.map(legacyTrue), is: legacyTrue('Ready') },
    {
      rule: 'errors outrank information',
      conditions: [
        legacyFalse('BootstrapReady', 'Wait', 'Info', 'w'),
        legacyFalse('InfrastructureReady', 'Broken', 'Error', 'b'),
      ],
      is: legacyFalse('Ready', 'Broken', 'Error', 'b'),
    },
    {
      rule: 'rank equally severe conditions in the given order',
      conditions: [legacyFalse('InfrastructureReady', 'I', 'Info'), legacyFalse('BootstrapReady', 'B', 'Info')],
      is: legacyFalse('Ready', 'B', 'Info'),
    },
    { rule: 'have no summary without conditions', conditions: [], is: undefined },
  ])('$rule', ({ conditions, is }) => expect(summarizeLegacy(conditions, { of })).toEqual(is));
  it('count steps only while all conditions are among the counted types', () => {
    const conditions = [legacyTrue('BootstrapReady'), legacyFalse('InfrastructureReady', 'I', 'Info', 'm')];
    const options = { of: [...of, 'NodeHealthy'], stepCounter: true, stepCounterIfOnly: of };
    expect(summarizeLegacy(conditions, options)?.message).toBe('1 of 2 completed');
    expect(summarizeLegacy([...conditions, legacyTrue('NodeHealthy')], options)?.message).toBe('m');
  });
  it('name the object with the reported condition in an aggregate', () => {
    const source = { kind: 'Machine', name: 'a', conditions: [legacyFalse('Ready', 'R', 'Warning')] };
    expect(aggregateLegacy('MachinesReady', [source])).toEqual(
      legacyFalse('MachinesReady', 'R @ Machine/a', 'Warning', '0 of 1 completed'),
    );
  });
});
