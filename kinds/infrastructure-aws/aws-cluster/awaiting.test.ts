import { describe, expect, it } from 'vitest';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import type { Part } from '../engine/scope.ts';
import { awaitingAnnotation } from '../engine/step.ts';
import { purposeTag } from '../engine/tags.ts';
import { defaultApiPorts } from '../network/api-ports.ts';

import { awaitedOf, awaitingNote, nextCheck, observeAwaited, subjectOf } from './awaiting.ts';
import type { AWSCluster } from './schema.ts';

const now = 10_000_000;
const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} };
const long = { since: now - 150_000, tried: now - 150_000 };
const pending = { 'load-balancer/apiserver': long, 'load-balancer/apiserver/name': long, 'nat-gateway/a': long };
const conditions = [{ type: 'Ready', status: 'True' }];
const first = { arn: 'arn:lb' };
const awsCluster = (
  note?: object,
  { metadata = {}, spec = {}, status = {} }: Record<string, object> = {},
): AWSCluster =>
  ({
    metadata: {
      uid: 'one',
      ...metadata,
      annotations: {
        mine: 'x',
        ...(note && { [pendingAnnotation]: JSON.stringify(pending) }),
        ...(note && { [awaitingAnnotation]: JSON.stringify(note) }),
      },
    },
    spec: { controlPlaneLoadBalancer: { loadBalancerType: 'nlb' }, ...spec },
    status: { ready: true, conditions, networkStatus: { apiServerElb: first }, ...status },
  }) as unknown as AWSCluster;
const subject = subjectOf(awsCluster(), owner, 6443);
const note = (keys: string[], until = now + 1000) => ({ subject, keys, until });

describe('the pending operations', () => {
  const part = (underway: string[], steps: string[] = [], settled = false) =>
    ({ underway, steps, settled }) as unknown as Part;
  const lb = 'load-balancer/apiserver';
  it.each([
    { rule: 'empty, when everything is settled', parts: [part([], [], true)], keys: [] },
    { rule: 'the load balancer', parts: [part([], [], true), part([lb])], keys: [lb] },
    {
      rule: 'the NAT gateways and the routes that depend on them',
      parts: [part(['nat-gateway/a']), part(['route-table/b/route'])],
      keys: ['nat-gateway/a', 'route-table/b/route'],
    },
    {
      rule: 'not routes alone, which no single call describes',
      parts: [part(['route-table/b/route'])],
      keys: undefined,
    },
    { rule: 'not recorded during a short operation', parts: [part([lb]), part(['subnet/a'])], keys: undefined },
    { rule: 'not recorded while a step remains', parts: [part([lb]), part([], ['tag'])], keys: undefined },
    { rule: 'not recorded while a step is blocked', parts: [part([lb]), part([])], keys: undefined },
  ])('are $rule', ({ parts, keys }) => expect(awaitedOf(parts)).toEqual(keys));
});

describe('the record of pending operations', () => {
  const lb = ['load-balancer/apiserver'];
  const options = { now, certain: undefined, isWriting: false };
  const written = (text: string | null | undefined) => (text ? JSON.parse(text) : text);
  it.each([
    { rule: 'is written when an operation is pending', keys: lb, is: note(lb, now + 300_000) },
    { rule: 'is unchanged when it is correct', before: note(lb), keys: lb, is: undefined },
    { rule: 'is refreshed when it is old', before: note(lb, now), keys: lb, is: note(lb, now + 300_000) },
    { rule: 'is not written just to say that nothing is pending', keys: [], is: undefined },
    { rule: 'is written along with another write', keys: [], isWriting: true, is: note([], now + 300_000) },
    { rule: 'expires when everything is certain', keys: [], isWriting: true, certain: 7, is: note([], now + 7000) },
    { rule: 'is removed with the next step', before: note(lb), keys: undefined, isWriting: true, is: null },
  ])('$rule', ({ before, keys, is, ...given }) => {
    expect(written(awaitingNote(awsCluster(before), subject, keys, { ...options, ...given }))).toEqual(is);
  });
});

describe('a check of pending operations', () => {
  const answers: Record<string, object> = {
    DescribeLoadBalancers: { LoadBalancers: [{ State: { Code: 'provisioning' } }] },
    DescribeNatGateways: {
      NatGateways: [{ State: 'pending', Tags: [{ Key: purposeTag, Value: 'nat-gateway/a' }] }],
    },
    DescribeListeners: { Listeners: [{ Port: 6443, Endpoint: { Resolves: false } }] },
  };
  const look = (object: AWSCluster, given: Record<string, object> = {}) => {
    const asked: string[] = [];
    const ask = (_: string, action: string): Read<unknown> => {
      asked.push(action);
      const value = { ...answers, ...given }[action];
      return value ? { state: 'found', value } : { state: 'absent' };
    };
    const found = observeAwaited(object, { owner, region: 'r', apiPorts: defaultApiPorts, now, speed: 1 }, {
      ask,
    } as unknown as Reader);
    return { found, asked };
  };
  it.each([
    { key: 'load-balancer/apiserver', asked: ['DescribeLoadBalancers'] },
    { key: 'load-balancer/apiserver/name', asked: ['DescribeListeners'] },
    { key: 'nat-gateway/a', asked: ['DescribeNatGateways'] },
  ])('describes $key only', ({ key, asked }) =>
    expect(look(awsCluster(note([key])))).toEqual({ found: { state: 'awaited', keys: [key] }, asked }));
  it('calls nothing when nothing is pending', () =>
    expect(look(awsCluster(note([])))).toEqual({ found: { state: 'awaited', keys: [] }, asked: [] }));
  it('calls nothing before the expected time', () => {
    const begun = { since: now - 20_000, tried: now - 20_000 };
    const object = awsCluster(note(['load-balancer/apiserver', 'nat-gateway/a']));
    object.metadata.annotations![pendingAnnotation] = JSON.stringify({
      'load-balancer/apiserver': begun,
      'nat-gateway/a': begun,
    });
    expect(look(object)).toMatchObject({ found: { state: 'awaited' }, asked: [] });
  });
  it('reads operations with an unknown start', () => {
    const object = awsCluster(note(['nat-gateway/a']));
    object.metadata.annotations![pendingAnnotation] = '{}';
    expect(look(object).asked).toEqual(['DescribeNatGateways']);
  });
  it('waits until all operations have advanced', () => {
    const two = awsCluster(note(['load-balancer/apiserver', 'nat-gateway/a']));
    expect(look(two).found).toBeDefined();
    expect(look(two, { DescribeNatGateways: { NatGateways: [] } }).found).toBeUndefined();
  });
  const lb = note(['load-balancer/apiserver']);
  it.each([
    {
      rule: 'the resource is active',
      object: awsCluster(lb),
      answer: { LoadBalancers: [{ State: { Code: 'active' } }] },
    },
    {
      rule: 'the resource has failed',
      object: awsCluster(lb),
      answer: { LoadBalancers: [{ State: { Code: 'failed' } }] },
    },
    { rule: 'the resource does not exist', object: awsCluster(lb), answer: { LoadBalancers: [] } },
    { rule: 'no record exists', object: awsCluster() },
    { rule: 'the record is old', object: awsCluster({ ...lb, until: now }) },
    { rule: 'the record is invalid', object: awsCluster({ until: 'then' }) },
    { rule: 'the spec has changed', object: awsCluster(lb, { spec: { sshKeyName: 'key' } }) },
    { rule: 'a user has changed the object', object: awsCluster(lb, { metadata: { labels: { touched: '' } } }) },
    { rule: 'the object is a copy', object: awsCluster(lb, { metadata: { uid: 'another' } }) },
    { rule: 'the object lost its readiness', object: awsCluster(note([]), { status: { ready: false } }) },
    { rule: 'the object lost its conditions', object: awsCluster(note([]), { status: { conditions: [] } }) },
  ])('describes everything when $rule', ({ object, answer }) =>
    expect(look(object, answer && { DescribeLoadBalancers: answer }).found).toBeUndefined());
});

describe('the subject of a record', () => {
  const of = (object: AWSCluster, port = 6443) => subjectOf(object, owner, port);
  it('is stable against controllers’ notes and the order of fields', () => {
    const noted = awsCluster(note([]));
    expect(
      of({ ...noted, metadata: { ...noted.metadata, annotations: { mine: 'x', [pendingAnnotation]: '{}' } } }),
    ).toBe(subject);
    const [a, b] = [
      { region: 'r', sshKeyName: 'k' },
      { sshKeyName: 'k', region: 'r' },
    ];
    expect(of(awsCluster(undefined, { spec: a }))).toBe(of(awsCluster(undefined, { spec: b })));
  });
  it('changes with the port', () => expect(of(awsCluster(), 443)).not.toBe(subject));
});

it('checks again when the first operation may have ended', () => {
  const since = now - 30_000;
  const pending = { 'nat-gateway/a': { since, tried: since }, 'load-balancer/apiserver': { since, tried: since } };
  const [gateway, balancer] = ['nat-gateway/a', 'load-balancer/apiserver'].map((key) =>
    nextCheck([key], pending, now, 1),
  );
  expect(gateway).toBeLessThan(balancer!);
  expect(nextCheck(['load-balancer/apiserver', 'nat-gateway/a'], pending, now, 1)).toBe(gateway);
  expect(nextCheck([], pending, now, 1)).toBeUndefined();
});
