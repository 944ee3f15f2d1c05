/** What to do about the health issues of a node group, by EKS' codes. */

const advice: Readonly<Record<string, string>> = {
  AccessDenied: 'let the role of the nodes into the cluster, and give it AmazonEKSWorkerNodePolicy',
  AmiIdNotFound: 'choose another spec.amiVersion',
  AsgInstanceLaunchFailures:
    'choose another spec.instanceType or other subnets in a pool of its own, or raise the quota that it names',
  AutoScalingGroupNotFound: 'its Auto Scaling group was deleted: make another pool',
  ClusterUnreachable: 'give the nodes a way to the API server: private endpoint access, or a NAT gateway',
  Ec2SecurityGroupDeletionFailure: 'delete the network interfaces that still use the security group',
  Ec2SecurityGroupNotFound: 'the security group of the cluster was deleted: make another cluster',
  IamInstanceProfileNotFound: 'the instance profile was deleted: make another pool',
  IamNodeRoleNotFound: 'create the role of the nodes again, under the same name',
  InstanceLimitExceeded: 'ask AWS for a higher limit, or lower the replicas',
  InsufficientFreeAddresses: 'free addresses in the subnets, or choose others in a pool of its own',
  NodeCreationFailure:
    'instances start and do not join: check their way to the API server, and that their role is let in',
  PodEvictionFailure: 'a PodDisruptionBudget keeps Pods on their nodes: let it allow one eviction',
};

/** With what leads to it; empty for a code without advice. */
export const adviceOn = (code: string): string => {
  const known = advice[code];
  return known ? ` (${known})` : '';
};
