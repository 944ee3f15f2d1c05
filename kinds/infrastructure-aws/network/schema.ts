/** The fields of a kind that its network is made from. */
import { boolean, type Infer, int32, list, object, string } from '../../../machinery/api/schema.ts';
import { loadBalancer } from './schema-load-balancer.ts';
import { network } from './schema-network.ts';

export const networkSpec = {
  bastion: object('A host for reaching the machines by SSH.', {
    allowedCIDRBlocks: list('Who may reach the bastion; absent means anybody.', string('A CIDR block.')),
    ami: string('Image of the bastion; absent means a current Ubuntu.'),
    disableIngressRules: boolean('Whether the security group of the bastion has no rules at all.'),
    enabled: boolean('Whether there is a bastion.'),
    instanceType: string('Instance type of the bastion.'),
  }),
  controlPlaneEndpoint: object('Where the API server is reached; filled in by the controller unless given.', {
    host: string('Host name or address.', { maxLength: 512 }),
    port: int32('Port.'),
  }),
  controlPlaneLoadBalancer: loadBalancer('The load balancer in front of the API servers.'),
  network,
  secondaryControlPlaneLoadBalancer: loadBalancer('A second load balancer in front of the API servers.'),
  sshKeyName: string('EC2 key pair for SSH to all machines; absent or empty means none.'),
};

const spec = object('What a network is made from.', networkSpec);
export type NetworkSpec = Infer<typeof spec>;
