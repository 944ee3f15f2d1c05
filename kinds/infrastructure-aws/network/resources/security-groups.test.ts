import { describe, expect, it } from 'vitest';
import { defaultApiPorts } from '../api-ports.ts';

import type { Scope } from '../scope.ts';
import type { IngressRule, Role } from '../security-rules.ts';
import { rulesOf } from './security-groups.ts';

interface Given {
  rule: string;
  role: Role;
  spec?: Scope['spec'];
  network?: Scope['network'];
  lets: string[];
}

const format = (rule: IngressRule): string => {
  const ports = rule.fromPort === rule.toPort ? rule.fromPort : `${rule.fromPort}-${rule.toPort}`;
  const gateways = rule.natGatewaysIPsSource ? ['NAT gateways'] : [];
  const sources = [...(rule.sourceSecurityGroupRoles ?? []), ...(rule.cidrBlocks ?? []), ...gateways];
  return `${ports} from ${sources.join(', ')}`;
};
const bgp = { description: 'bgp', protocol: 'tcp', fromPort: 179, toPort: 179 } as const;
const metrics = { description: 'metrics', protocol: 'tcp', fromPort: 9100, toPort: 9100 } as const;
const bastion = (more: object = {}) => ({ bastion: { enabled: true, ...more } });
const balanced = (more: object = {}) => ({ controlPlaneLoadBalancer: { loadBalancerType: 'nlb' as const, ...more } });

const controlPlane = ['6443 from apiserver-lb, controlplane, node', '2379 from controlplane', '2380 from controlplane'];
const node = ['30000-32767 from 0.0.0.0/0', '10250 from controlplane, node'];

describe('security groups', () => {
  it.each<Given>([
    {
      rule: 'let machines reach the API server, and only control planes reach etcd',
      role: 'controlplane',
      lets: controlPlane,
    },
    { rule: 'let machines reach kubelets, and all clients reach node ports', role: 'node', lets: node },
    {
      rule: 'restrict node ports to the configured sources',
      role: 'node',
      network: { nodePortIngressRuleCidrBlocks: ['10.0.0.0/8'] },
      lets: ['30000-32767 from 10.0.0.0/8', '10250 from controlplane, node'],
    },
    {
      rule: 'let the pod networks of all machines reach control planes',
      role: 'controlplane',
      network: { cni: { cniIngressRules: [bgp] } },
      lets: [...controlPlane, '179 from controlplane, node'],
    },
    {
      rule: 'let the pod networks of all machines reach nodes',
      role: 'node',
      network: { cni: { cniIngressRules: [bgp] } },
      lets: [...node, '179 from controlplane, node'],
    },
    {
      rule: 'let control planes reach nodes by an additional rule without a source',
      role: 'node',
      network: { additionalNodeIngressRules: [metrics] },
      lets: [...node, '9100 from controlplane'],
    },
    {
      rule: 'apply an additional control plane rule without a source among control planes',
      role: 'controlplane',
      network: { additionalControlPlaneIngressRules: [metrics] },
      lets: [...controlPlane, '9100 from controlplane'],
    },
    {
      rule: 'treat an empty list as no source',
      role: 'controlplane',
      network: { additionalControlPlaneIngressRules: [{ ...metrics, cidrBlocks: [], sourceSecurityGroupIds: [] }] },
      lets: [...controlPlane, '9100 from controlplane'],
    },
    {
      rule: 'let control planes reach a load balancer by a rule without a source',
      role: 'apiserver-lb',
      spec: balanced({ ingressRules: [metrics] }),
      lets: ['6443 from NAT gateways', '9100 from controlplane'],
    },
    {
      rule: 'keep the sources of an additional rule',
      role: 'controlplane',
      network: { additionalControlPlaneIngressRules: [{ ...metrics, cidrBlocks: ['10.0.0.0/8'] }] },
      lets: [...controlPlane, '9100 from 10.0.0.0/8'],
    },
    {
      rule: 'let the bastion connect to nodes by SSH',
      role: 'node',
      spec: bastion(),
      lets: ['22 from bastion', ...node],
    },
    {
      rule: 'let the bastion connect to control planes by SSH',
      role: 'controlplane',
      spec: bastion(),
      lets: ['22 from bastion', ...controlPlane],
    },
    {
      rule: 'let all clients connect to the bastion by SSH',
      role: 'bastion',
      spec: bastion(),
      lets: ['22 from 0.0.0.0/0'],
    },
    {
      rule: 'restrict the bastion to the configured sources',
      role: 'bastion',
      spec: bastion({ allowedCIDRBlocks: ['10.0.0.0/8'] }),
      lets: ['22 from 10.0.0.0/8'],
    },
    {
      rule: 'let no client connect to a bastion without rules',
      role: 'bastion',
      spec: bastion({ disableIngressRules: true }),
      lets: [],
    },
    {
      rule: 'let all clients reach a public load balancer, and machines through their NAT gateways',
      role: 'apiserver-lb',
      spec: balanced(),
      lets: ['6443 from NAT gateways', '6443 from 0.0.0.0/0'],
    },
    {
      rule: 'let the VPC and the configured sources reach an internal load balancer',
      role: 'apiserver-lb',
      spec: balanced({ scheme: 'internal', ingressRules: [{ ...metrics, cidrBlocks: ['192.168.0.0/16'] }] }),
      lets: ['6443 from 10.0.0.0/16', '9100 from 192.168.0.0/16'],
    },
    {
      rule: 'let only the VPC reach targets of load balancers',
      role: 'lb',
      spec: balanced({ additionalListeners: [{ port: 8132 }] }),
      lets: ['6443 from 10.0.0.0/16', '8132 from 10.0.0.0/16'],
    },
    {
      rule: 'let clients reach targets when client IP preservation is on',
      role: 'lb',
      spec: balanced({ preserveClientIP: true }),
      lets: ['6443 from 0.0.0.0/0'],
    },
  ])('$rule', ({ role, spec = {}, network = {}, lets }) => {
    const scope = { spec, network, apiPorts: defaultApiPorts, cloudState: { vpc: { CidrBlock: '10.0.0.0/16' } } };
    expect(rulesOf(scope as Scope, role).map(format)).toEqual(lets);
  });
});
