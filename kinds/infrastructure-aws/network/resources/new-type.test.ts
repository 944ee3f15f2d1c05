/**
 * A resource type that Capstan does not have yet. Its row alone lets the engine create, tag, await,
 * find and delete its resources.
 */

import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import type { Reader } from '../../../../machinery/api/reconcile.ts';
import type { VpcEndpoint } from '../../../ports/cloud/index.ts';
import { asking } from '../../engine/ask.ts';
import { observeType } from '../../engine/observe.ts';
import { planPart } from '../../engine/plan.ts';
import type { Types } from '../../engine/resource.ts';
import { call, create } from '../../engine/resource.ts';
import type { Pending } from '../../engine/step.ts';
import { evidence, purposeTag, tagList } from '../../engine/tags.ts';
import type { Remains } from '../../engine/teardown.ts';
import { planTeardown, refusedCreation, sighted } from '../../engine/teardown.ts';
import type { NetworkResource, Scope } from '../scope.ts';
import { planTags } from '../tagging.ts';
import { types } from './index.ts';

const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: { team: 'x' } };

/** A gateway endpoint for S3 in every route table. */
const vpcEndpoints: NetworkResource<VpcEndpoint> = {
  sort: 'vpc-endpoint',
  title: 'VPC endpoint',
  events: ['CreateVpcEndpoint', 'DeleteVpcEndpoints'],
  condition: { type: 'VpcEndpointsReady', started: 'VpcEndpointsStarted', failed: 'VpcEndpointsFailed' },
  list: 'vpcEndpoints',
  inUnmanagedNetwork: 'unused',
  depth: 1,
  ec2: ['vpc-endpoint'],
  repeats: 'token',
  desired: ({ region, cloudState }) => {
    const { vpc, routeTables } = cloudState;
    if (!vpc) return 'later';
    const ServiceName = `com.amazonaws.${region}.s3`;
    const all: VpcEndpoint[] = (cloudState as unknown as { vpcEndpoints: VpcEndpoint[] }).vpcEndpoints;
    const RouteTableIds = routeTables.map(({ RouteTableId }) => RouteTableId);
    return [
      {
        which: 's3',
        there: all.find((one) => one.ServiceName === ServiceName),
        create: create('CreateVpcEndpoint', { VpcId: vpc.VpcId, ServiceName, RouteTableIds }),
        tags: { name: 'demo-s3' },
      },
    ];
  },
  awaiting: () => 'Waiting for the endpoint of S3',
  uses: ['vpcs', 'routeTables'],
  remove: ({ VpcEndpointId }) => [call('DeleteVpcEndpoints', { VpcEndpointIds: [VpcEndpointId] })],
};
const all: Types = { ...types, vpcEndpoints };

const endpoint = (State: string, tags: Record<string, string> = {}): VpcEndpoint => ({
  VpcEndpointId: 'vpce-1',
  VpcId: 'vpc-1',
  ServiceName: 'com.amazonaws.r.s3',
  State,
  RouteTableIds: ['rtb-1'],
  Tags: tagList({ ...evidence(owner), [purposeTag]: 'vpc-endpoint/s3', ...tags }),
});
const scope = (...there: VpcEndpoint[]): Scope =>
  ({
    owner,
    region: 'r',
    spec: {},
    network: { subnets: [] },
    cloudState: {
      vpc: { VpcId: 'vpc-1' },
      routeTables: [{ RouteTableId: 'rtb-1', Tags: [] }],
      loadBalancers: [],
      vpcEndpoints: there,
    },
    isRecent: () => false,
  }) as unknown as Scope;
const planned = (...there: VpcEndpoint[]) => planPart(scope(...there), 'VpcEndpointsReady', all);
const inputs = (steps: { actions: (since: number) => unknown[] }[]) => steps.flatMap(({ actions }) => actions(1));

describe('a new resource type', () => {
  it('is created with the same tags and token as the others', () => {
    const { steps, conditions } = planned();
    expect(conditions).toMatchObject([{ status: 'False', message: 'Waiting for the endpoint of S3' }]);
    expect(inputs(steps)).toMatchObject([
      {
        operation: 'CreateVpcEndpoint',
        input: {
          input: {
            RouteTableIds: ['rtb-1'],
            ClientToken: expect.stringMatching(/^[0-9a-f]{64}$/),
            TagSpecifications: [
              {
                ResourceType: 'vpc-endpoint',
                Tags: expect.arrayContaining(
                  tagList({ ...evidence(owner), [purposeTag]: 'vpc-endpoint/s3', team: 'x' }),
                ),
              },
            ],
          },
        },
      },
    ]);
  });

  it.each([
    { state: 'pending', underway: ['vpc-endpoint/s3'], status: 'False' },
    { state: 'available', underway: [], status: 'True' },
  ])('is $status while it is $state', ({ state, underway, status }) =>
    expect(planned(endpoint(state))).toMatchObject({ steps: [], underway, conditions: [{ status }] }));

  it('gets the tags that the user requests', () => {
    const object = { metadata: { name: 'demo' }, spec: {} } as KubeObject;
    const { steps } = planTags(scope(endpoint('available')), object, {}, 0, all);
    expect(inputs(steps)).toMatchObject([
      { operation: 'CreateTags', input: { input: { Resources: ['vpce-1'], Tags: [{ Key: 'team', Value: 'x' }] } } },
    ]);
  });

  it('is found by the tags of the cluster', () => {
    const ask = (_: string, action: string, question: unknown) => ({
      state: 'found' as const,
      value: { VpcEndpoints: [{ action, question }] },
    });
    const cloud = asking({ ask } as unknown as Reader, 'r');
    expect(observeType(cloud, owner, vpcEndpoints)).toMatchObject([
      {
        action: 'DescribeVpcEndpoints',
        question: { input: { Filters: [{ Values: ['here'] }, { Values: ['uid'] }], MaxResults: 1000 } },
      },
    ]);
  });

  const remains = (...there: VpcEndpoint[]): Remains =>
    ({
      found: { loadBalancers: [], vpcs: [{ VpcId: 'vpc-1', Tags: [] }], vpcEndpoints: there },
      isWhole: true,
    }) as unknown as Remains;

  it('is deleted before the resources it uses, by its tags', () => {
    const { steps, empty } = planTeardown(owner, 'r', remains(endpoint('available')), all);
    expect(empty).toBe(false);
    expect(steps.map(({ key }) => key)).toEqual(['delete/vpce-1']);
    expect(inputs(steps)).toMatchObject([{ operation: 'DeleteVpcEndpoints', input: { owned: evidence(owner) } }]);
  });

  it('is awaited while AWS deletes it', () =>
    expect(planTeardown(owner, 'r', remains(endpoint('deleting')), all)).toMatchObject({
      steps: [],
      underway: ['delete/vpce-1'],
    }));

  it('no longer blocks the network once it is gone', () =>
    expect(planTeardown(owner, 'r', remains(endpoint('deleted')), all).steps.map(({ key }) => key)).toEqual([
      'delete/vpc-1',
    ]));

  it('is known to be visible by its tags', () => {
    const pending: Pending = { 'vpc-endpoint/s3': { since: 1, tried: 1 } };
    expect(sighted(pending, remains(endpoint('available')), all)['vpc-endpoint/s3']).toMatchObject({ seen: true });
  });

  it.each([
    { code: 'VpcEndpointLimitExceeded', gone: true },
    { code: 'InternalError', gone: false },
    { code: 'VpcEndpointAlreadyExists', gone: false },
  ])('never came when AWS refused its creation: $code', ({ code, gone }) => {
    const tried: Pending = { 'vpc-endpoint/s3': { since: 1, tried: 1 } };
    const last = { port: 'cloud', operation: 'o', code, message: 'm', at: 2, group: 'vpc-endpoint/s3' };
    expect(refusedCreation(tried, last, all)).toEqual(gone ? ['vpc-endpoint/s3'] : []);
    expect(refusedCreation({ 'vpc-endpoint/s3': { since: 0, tried: 1 } }, last, all)).toEqual([]);
  });
});
