import type { ResourceStatus } from '@aws-sdk/client-cloudformation';
import { describe, expect, it } from 'vitest';
import { type Change, changesBetween, renderChanges, replaced, summaryOf } from './changes.ts';
import { farOf } from './follow.ts';

const fn = (memory: number) => ({ Type: 'AWS::Lambda::Function', Properties: { MemorySize: memory } });
const table = (name: string, more: object = {}) => ({
  Type: 'AWS::DynamoDB::Table',
  Properties: { TableName: name },
  ...more,
});
const template = (Resources: object) => ({ Resources });
const of = (changes: Change[]) => changes.map(({ id, effect, properties }) => [id, effect, properties]);

describe('the changes of a deployment', () => {
  it.each([
    {
      rule: 'a new stack creates every resource',
      before: {},
      after: template({ A: fn(1) }),
      is: [['A', 'create', []]],
    },
    {
      rule: 'a setting is updated',
      before: template({ A: fn(1) }),
      after: template({ A: fn(2) }),
      is: [['A', 'update', ['MemorySize']]],
    },
    {
      rule: 'another name replaces the resource, because of that property',
      before: template({ A: table('a') }),
      after: template({ A: table('b') }),
      is: [['A', 'replace', ['TableName']]],
    },
    {
      rule: 'a resource that leaves the template is deleted',
      before: template({ A: fn(1) }),
      after: template({}),
      is: [['A', 'delete', []]],
    },
    {
      rule: 'a resource with a Retain policy stays in the account',
      before: template({ A: table('a', { DeletionPolicy: 'Retain' }) }),
      after: template({}),
      is: [['A', 'keep', []]],
    },
    {
      rule: 'an equal template changes nothing',
      before: template({ A: fn(1) }),
      after: template({ A: fn(1) }),
      is: [],
    },
  ])('$rule', ({ before, after, is }) => expect(of(changesBetween('S', before, after))).toEqual(is));

  it('lists the changes that need approval first, and counts all of them', () => {
    const before = template({ A: fn(1), B: table('a'), C: fn(1) });
    const changes = changesBetween('S', before, template({ A: fn(2), B: table('b'), D: fn(1) }));
    expect(renderChanges(changes).split('\n')).toEqual([
      'S',
      '  ! AWS::DynamoDB::Table B (TableName)',
      '  - AWS::Lambda::Function C',
      '  ~ AWS::Lambda::Function A (MemorySize)',
      '  + AWS::Lambda::Function D',
      '',
      'Plan: 1 to create, 1 to update, 1 to replace, 1 to delete.',
    ]);
    expect(replaced(changes).map(({ id }) => id)).toEqual(['B']);
  });

  it('counts the resources of a new stack by type', () => {
    const changes = changesBetween('S', {}, template({ A: fn(1), B: fn(1), C: table('c') }));
    expect(renderChanges(changes).split('\n').slice(0, 3)).toEqual([
      'S',
      '  + AWS::DynamoDB::Table',
      '  + AWS::Lambda::Function (2)',
    ]);
  });

  it('reports that nothing changes', () => expect(summaryOf([])).toMatch(/^No changes/));
});

it('reports the progress of CloudFormation', () => {
  const event = (LogicalResourceId: string, ResourceStatus: ResourceStatus) => ({
    LogicalResourceId,
    ResourceStatus,
    ResourceType: 'AWS::Lambda::Function',
    PhysicalResourceId: LogicalResourceId,
    StackId: 'S',
    EventId: '',
    StackName: 'S',
    Timestamp: new Date(0),
  });
  const events = [event('B', 'CREATE_IN_PROGRESS'), event('A', 'CREATE_COMPLETE'), event('A', 'CREATE_IN_PROGRESS')];
  expect(farOf(events, 80)).toBe('1 of 80 resources, at AWS::Lambda::Function B');
});
