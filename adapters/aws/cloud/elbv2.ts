/** Calls of Elastic Load Balancing v2. */
import {
  AddTagsCommand,
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
  DeleteListenerCommand,
  DeleteLoadBalancerCommand,
  DeleteTargetGroupCommand,
  DeregisterTargetsCommand,
  DescribeListenersCommand,
  DescribeLoadBalancerAttributesCommand,
  DescribeLoadBalancersCommand,
  DescribeTagsCommand,
  DescribeTargetGroupAttributesCommand,
  DescribeTargetGroupsCommand,
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  ModifyLoadBalancerAttributesCommand,
  ModifyTargetGroupAttributesCommand,
  ModifyTargetGroupCommand,
  RegisterTargetsCommand,
  RemoveTagsCommand,
  SetSecurityGroupsCommand,
  SetSubnetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Listener } from '../../../kinds/ports/cloud/index.ts';
import { list, nothing, record, text, textIfAny } from './decode.ts';
import { attribute, listener, loadBalancer, tagged, targetGroup, targetHealth, zone } from './elbv2-shapes.ts';
import type { ResolveEndpoint } from './endpoint.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

/** The service rejects an empty list in a creation, which the port permits. */
const withoutEmpty = <T extends object>(input: T): T =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => !Array.isArray(value) || value.length > 0)) as T;

/** Maximum of resources per call. */
const mostArns = 20;
const chunks = (arns: string[]): string[][] =>
  Array.from({ length: Math.ceil(arns.length / mostArns) }, (_, n) => arns.slice(n * mostArns, (n + 1) * mostArns));

export const operations = (
  config: ClientConfig,
  resolveEndpoint: ResolveEndpoint,
): Operations<'elasticloadbalancing'> => {
  const client = new ElasticLoadBalancingV2Client(config);

  /** Adds to each listener the endpoint of its load balancer. */
  const reached = async (listeners: Omit<Listener, 'Endpoint'>[]): Promise<Listener[]> => {
    const names = new Map<string, Promise<string>>();
    const nameOf = async (arn: string): Promise<string> => {
      const { LoadBalancers } = await client.send(new DescribeLoadBalancersCommand({ LoadBalancerArns: [arn] }));
      return LoadBalancers?.[0]?.DNSName ?? '';
    };
    return Promise.all(
      listeners.map(async (one) => {
        const name = names.get(one.LoadBalancerArn) ?? nameOf(one.LoadBalancerArn);
        names.set(one.LoadBalancerArn, name);
        return { ...one, Endpoint: await resolveEndpoint({ Host: await name, Port: one.Port }) };
      }),
    );
  };

  return {
    DescribeLoadBalancers: (input) =>
      client
        .send(new DescribeLoadBalancersCommand(given(input)))
        .then(record({ LoadBalancers: list(loadBalancer), NextMarker: textIfAny })),
    CreateLoadBalancer: (input) =>
      client
        .send(new CreateLoadBalancerCommand(given(withoutEmpty(input))))
        .then(record({ LoadBalancers: list(loadBalancer) })),
    ModifyLoadBalancerAttributes: (input) =>
      client.send(new ModifyLoadBalancerAttributesCommand(given(input))).then(nothing),
    DescribeLoadBalancerAttributes: (input) =>
      client
        .send(new DescribeLoadBalancerAttributesCommand(given(input)))
        .then(record({ Attributes: list(attribute) })),
    SetSecurityGroups: (input) =>
      client.send(new SetSecurityGroupsCommand(given(input))).then(record({ SecurityGroupIds: list(text) })),
    SetSubnets: (input) =>
      client.send(new SetSubnetsCommand(given(input))).then(record({ AvailabilityZones: list(zone) })),
    DeleteLoadBalancer: (input) => client.send(new DeleteLoadBalancerCommand(given(input))).then(nothing),
    DescribeTargetGroups: (input) =>
      client
        .send(new DescribeTargetGroupsCommand(given(input)))
        .then(record({ TargetGroups: list(targetGroup), NextMarker: textIfAny })),
    CreateTargetGroup: (input) =>
      client
        .send(new CreateTargetGroupCommand(given(withoutEmpty(input))))
        .then(record({ TargetGroups: list(targetGroup) })),
    ModifyTargetGroup: (input) =>
      client.send(new ModifyTargetGroupCommand(given(input))).then(record({ TargetGroups: list(targetGroup) })),
    ModifyTargetGroupAttributes: (input) =>
      client.send(new ModifyTargetGroupAttributesCommand(given(input))).then(nothing),
    DescribeTargetGroupAttributes: (input) =>
      client.send(new DescribeTargetGroupAttributesCommand(given(input))).then(record({ Attributes: list(attribute) })),
    DeleteTargetGroup: (input) => client.send(new DeleteTargetGroupCommand(given(input))).then(nothing),
    DescribeListeners: async (input) => {
      const { Listeners, NextMarker } = await client.send(new DescribeListenersCommand(given(input)));
      return { Listeners: await reached((Listeners ?? []).map(listener)), ...(NextMarker && { NextMarker }) };
    },
    CreateListener: (input) =>
      client.send(new CreateListenerCommand(given(withoutEmpty(input)))).then(record({ Listeners: list(listener) })),
    DeleteListener: (input) => client.send(new DeleteListenerCommand(given(input))).then(nothing),
    RegisterTargets: (input) => client.send(new RegisterTargetsCommand(given(input))).then(nothing),
    DeregisterTargets: (input) => client.send(new DeregisterTargetsCommand(given(input))).then(nothing),
    DescribeTargetHealth: (input) =>
      client
        .send(new DescribeTargetHealthCommand(given(input)))
        .then(record({ TargetHealthDescriptions: list(targetHealth) })),
    DescribeLoadBalancerTags: async ({ ResourceArns }) => {
      const asked = chunks(ResourceArns).map((arns) => client.send(new DescribeTagsCommand({ ResourceArns: arns })));
      const pages = await Promise.all(asked);
      return { TagDescriptions: pages.flatMap(({ TagDescriptions }) => list(tagged)(TagDescriptions)) };
    },
    AddTags: (input) => client.send(new AddTagsCommand(given(input))).then(nothing),
    RemoveTags: (input) => client.send(new RemoveTagsCommand(given(input))).then(nothing),
  };
};
