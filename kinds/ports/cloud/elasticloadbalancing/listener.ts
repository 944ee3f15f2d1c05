/** Listeners of load balancers. */
import type { Calls } from '../call.ts';
import type { Empty, Tag } from '../shared.ts';

/** Where clients reach a listener, and whether its name resolves already. */
export type Endpoint = { Host: string; Port: number; Resolves: boolean };
export type Listener = {
  ListenerArn: string;
  LoadBalancerArn: string;
  Protocol: string;
  Port: number;
  DefaultActions: { Type: 'forward'; TargetGroupArn: string }[];
  /**
   * Where clients reach the listener, and whether the name resolves already; the adapter checks
   * that. On AWS the load balancer's DNS name and the listener's port; a local account has its own.
   */
  Endpoint: Endpoint;
};
export interface ListenerActions {
  DescribeListeners: [
    { LoadBalancerArn?: string; ListenerArns?: string[]; Marker?: string },
    { Listeners: Listener[]; NextMarker?: string },
  ];
  CreateListener: [
    {
      LoadBalancerArn: string;
      Protocol: string;
      Port: number;
      DefaultActions: { Type: 'forward'; TargetGroupArn: string }[];
      Tags: Tag[];
    },
    { Listeners: Omit<Listener, 'Endpoint'>[] },
  ];
  DeleteListener: [{ ListenerArn: string }, Empty];
}

export const listenerCalls = {
  // A listener's endpoint comes from its load balancer.
  DescribeListeners: { also: ['elasticloadbalancing:DescribeLoadBalancers'] },
  // IAM checks the load balancer of a new listener, not the listener.
  CreateListener: { also: ['elasticloadbalancing:AddTags'], ours: ['loadbalancer/net'] },
  DeleteListener: {},
} as const satisfies Calls<ListenerActions>;
