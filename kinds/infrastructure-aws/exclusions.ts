/** What of a cluster's objects names AWS resources that are only that cluster's. Pure. */
import type { Exclusion } from '../ports/snapshots.ts';

/** Groups of operators whose objects are AWS resources. */
const operators = [
  'services.k8s.aws',
  'aws.upbound.io',
  'aws.m.upbound.io',
  'aws.crossplane.io',
  'aws.m.crossplane.io',
];

/** `clusterName`: of the cluster that the snapshot is of. */
export const awsExclusions = (clusterName: string): Exclusion[] => [
  { what: 'TargetGroupBindings', keys: ['elbv2.k8s.aws/targetgroupbindings'] },
  {
    what: 'Ingresses with load balancers',
    keys: ['ingress'],
    values: ['ingress.k8s.aws/', '.elb.amazonaws.com', '.elb.cn-'],
  },
  {
    what: 'Gateways with load balancers',
    keys: ['gateway.networking.k8s.io/gateways'],
    values: ['gateway.k8s.aws/', '.elb.amazonaws.com', '.elb.cn-'],
  },
  {
    what: 'NodeClaims of Karpenter',
    keys: ['karpenter.sh/nodeclaims', 'karpenter.sh/nodepools', 'karpenter.k8s.aws/ec2nodeclasses'],
  },
  {
    what: 'objects that are AWS resources',
    keys: ['services.k8s.aws/adoptedresources', ...operators.map((group) => `*.${group}`)],
  },
  {
    what: `workloads that act for the cluster name ${clusterName}`,
    keys: ['deployments', 'daemonsets', 'statefulsets'],
    values: [`cluster-name=${clusterName}`, `k8s.io/cluster-autoscaler/${clusterName}`],
  },
];
