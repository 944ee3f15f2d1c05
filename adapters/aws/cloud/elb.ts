/** Calls of Elastic Load Balancing's first version, which has the classic load balancer. */
import {
  AddTagsCommand,
  ApplySecurityGroupsToLoadBalancerCommand,
  AttachLoadBalancerToSubnetsCommand,
  ConfigureHealthCheckCommand,
  CreateLoadBalancerCommand,
  CreateLoadBalancerListenersCommand,
  DeleteLoadBalancerCommand,
  DeregisterInstancesFromLoadBalancerCommand,
  DescribeLoadBalancerAttributesCommand,
  DescribeLoadBalancersCommand,
  type DescribeLoadBalancersCommandOutput,
  DescribeTagsCommand,
  ElasticLoadBalancingClient,
  ModifyLoadBalancerAttributesCommand,
  RegisterInstancesWithLoadBalancerCommand,
  RemoveTagsCommand,
} from '@aws-sdk/client-elastic-load-balancing';
import type { ClassicLoadBalancer, CloudOutput } from '../../../kinds/ports/cloud/index.ts';
import { list, nothing, record, text, textIfAny } from './decode.ts';
import { attributes, loadBalancer, tagged } from './elb-shapes.ts';
import type { ResolveEndpoint } from './endpoint.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

const described = record<DescribeLoadBalancersCommandOutput, CloudOutput<'DescribeClassicLoadBalancers'>>({
  LoadBalancerDescriptions: list(loadBalancer),
  NextMarker: textIfAny,
});

export const operations = (config: ClientConfig, resolveEndpoint: ResolveEndpoint): Operations<'classic'> => {
  const client = new ElasticLoadBalancingClient(config);

  /** Adds to each listener its endpoint. */
  const reached = async (balancer: ClassicLoadBalancer): Promise<ClassicLoadBalancer> => ({
    ...balancer,
    ListenerDescriptions: await Promise.all(
      balancer.ListenerDescriptions.map(async ({ Listener }) => ({
        Listener,
        Endpoint: await resolveEndpoint({ Host: balancer.DNSName, Port: Listener.LoadBalancerPort }),
      })),
    ),
  });

  return {
    DescribeClassicLoadBalancers: async (input) => {
      const page = described(await client.send(new DescribeLoadBalancersCommand(given(input))));
      if (!input.LoadBalancerNames) return page;
      return { ...page, LoadBalancerDescriptions: await Promise.all(page.LoadBalancerDescriptions.map(reached)) };
    },
    CreateClassicLoadBalancer: (input) =>
      client.send(new CreateLoadBalancerCommand(given(input))).then(record({ DNSName: text })),
    DeleteClassicLoadBalancer: (input) => client.send(new DeleteLoadBalancerCommand(given(input))).then(nothing),
    ConfigureHealthCheck: (input) => client.send(new ConfigureHealthCheckCommand(given(input))).then(nothing),
    ModifyClassicLoadBalancerAttributes: (input) =>
      client.send(new ModifyLoadBalancerAttributesCommand(given(input))).then(nothing),
    DescribeClassicLoadBalancerAttributes: (input) =>
      client
        .send(new DescribeLoadBalancerAttributesCommand(given(input)))
        .then(record({ LoadBalancerAttributes: attributes })),
    CreateLoadBalancerListeners: (input) =>
      client.send(new CreateLoadBalancerListenersCommand(given(input))).then(nothing),
    AttachLoadBalancerToSubnets: (input) =>
      client.send(new AttachLoadBalancerToSubnetsCommand(given(input))).then(nothing),
    ApplySecurityGroupsToLoadBalancer: (input) =>
      client.send(new ApplySecurityGroupsToLoadBalancerCommand(given(input))).then(nothing),
    RegisterInstancesWithLoadBalancer: (input) =>
      client.send(new RegisterInstancesWithLoadBalancerCommand(given(input))).then(nothing),
    DeregisterInstancesFromLoadBalancer: (input) =>
      client.send(new DeregisterInstancesFromLoadBalancerCommand(given(input))).then(nothing),
    DescribeClassicLoadBalancerTags: (input) =>
      client.send(new DescribeTagsCommand(given(input))).then(record({ TagDescriptions: list(tagged) })),
    AddClassicLoadBalancerTags: (input) => client.send(new AddTagsCommand(given(input))).then(nothing),
    RemoveClassicLoadBalancerTags: (input) => client.send(new RemoveTagsCommand(given(input))).then(nothing),
  };
};
