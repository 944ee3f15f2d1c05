import { describe, expect, it } from 'vitest';
import { defaultApiPorts } from '../api-ports.ts';
import type { Scope } from '../context.ts';
import type { IngressRule, Role } from '../security-rules.ts';
import { rulesOf } from './security-groups.ts';

interface Situation {
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
const balanced = (more: object = {}) => ({ controlPlaneLoadBalancer: more });

const controlPlane = ['6443 from apiserver-lb, controlplane, node', '2379 from controlplane', '2380 from controlplane'];
const node = ['30000-32767 from 0.0.0.0/0', '10250 from controlplane, node'];

describe('security groups', () => {
  it.each<Situation>([
    {
      rule: 'let machines reach the API server, and control planes alone etcd',
      role: 'controlplane',
      lets: controlPlane,
    },
    { rule: 'let machines reach kubelets, and any client node ports', role: 'node', lets: node },
    {
      rule: 'let those reach node ports who are named',
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
      rule: 'let control planes reach nodes by a further rule that has no source',
      role: 'node',
      network: { additionalNodeIngressRules: [metrics] },
      lets: [...node, '9100 from controlplane'],
    },
    {
      rule: 'take a further rule of control planes that has no source for one among control planes',
      role: 'controlplane',
      network: { additionalControlPlaneIngressRules: [metrics] },
      lets: [...controlPlane, '9100 from controlplane'],
    },
    {
      rule: 'take an empty list for no source',
      role: 'controlplane',
      network: { additionalControlPlaneIngressRules: [{ ...metrics, cidrBlocks: [], sourceSecurityGroupIds: [] }] },
      lets: [...controlPlane, '9100 from controlplane'],
    },
    {
      rule: 'let control planes reach a load balancer by a rule that has no source',
      role: 'apiserver-lb',
      spec: balanced({ ingressRules: [metrics] }),
      lets: ['6443 from NAT gateways', '9100 from controlplane'],
    },
    {
      rule: 'leave a further rule the sources that it has',
      role: 'controlplane',
      network: { additionalControlPlaneIngressRules: [{ ...metrics, cidrBlocks: ['10.0.0.0/8'] }] },
      lets: [...controlPlane, '9100 from 10.0.0.0/8'],
    },
    { rule: 'let the bastion log in to nodes', role: 'node', spec: bastion(), lets: ['22 from bastion', ...node] },
    {
      rule: 'let the bastion log in to control planes',
      role: 'controlplane',
      spec: bastion(),
      lets: ['22 from bastion', ...controlPlane],
    },
    { rule: 'let any client log in to the bastion', role: 'bastion', spec: bastion(), lets: ['22 from 0.0.0.0/0'] },
    {
      rule: 'let those log in to the bastion who are named',
      role: 'bastion',
      spec: bastion({ allowedCIDRBlocks: ['10.0.0.0/8'] }),
      lets: ['22 from 10.0.0.0/8'],
    },
    {
      rule: 'let no client log in to a bastion without rules',
      role: 'bastion',
      spec: bastion({ disableIngressRules: true }),
      lets: [],
    },
    {
      rule: 'let any client reach a public load balancer, and machines through their gateways',
      role: 'apiserver-lb',
      spec: balanced(),
      lets: ['6443 from NAT gateways', '6443 from 0.0.0.0/0'],
    },
    {
      rule: 'let the VPC reach an internal load balancer, and who is named besides',
      role: 'apiserver-lb',
      spec: balanced({ scheme: 'internal', ingressRules: [{ ...metrics, cidrBlocks: ['192.168.0.0/16'] }] }),
      lets: ['6443 from 10.0.0.0/16', '9100 from 192.168.0.0/16'],
    },
    {
      rule: 'let the VPC alone reach targets of load balancers',
      role: 'lb',
      spec: balanced({ additionalListeners: [{ port: 8132 }] }),
      lets: ['6443 from 10.0.0.0/16', '8132 from 10.0.0.0/16'],
    },
    {
      rule: 'let clients reach targets that see their addresses',
      role: 'lb',
      spec: balanced({ preserveClientIP: true }),
      lets: ['6443 from 0.0.0.0/0'],
    },
  ])('$rule', ({ role, spec = {}, network = {}, lets }) => {
    const scope = { spec, network, apiPorts: defaultApiPorts, observed: { vpc: { CidrBlock: '10.0.0.0/16' } } };
    expect(rulesOf(scope as Scope, role).map(format)).toEqual(lets);
  });
});
