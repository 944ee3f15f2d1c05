/** What AWS does not forgive: doubled launches, calls that show late, things of others. */
import type { Mutant } from '../mutant.ts';

const machines: Mutant[] = [
  {
    name: 'instances are launched without a client token',
    file: 'kinds/infrastructure-aws/aws-machine/provision.ts',
    find: '        ClientToken: launch.token,\n        UserData',
    replace: '        UserData',
    suites: ['kinds/infrastructure-aws/aws-machine/', 'test/aws/aws-machine'],
  },
  {
    name: 'a launch that ran and went is tried with its token again',
    file: 'kinds/infrastructure-aws/aws-machine/launch.ts',
    find: 'if (over) return next',
    replace: 'if (over && failure) return next',
    suites: ['kinds/infrastructure-aws/aws-machine/launch'],
  },
  {
    name: 'a spent token is given up at once, however late describe calls are',
    file: 'kinds/infrastructure-aws/aws-machine/launch.ts',
    find: "now - launch.since < visibleWithin ? { do: 'wait' } : next(launch.exhausted)",
    replace: 'next(launch.exhausted)',
    suites: ['kinds/infrastructure-aws/aws-machine/launch'],
  },
  {
    name: 'a launch that was throttled is given up, although an earlier call may have made its instance',
    file: 'kinds/infrastructure-aws/aws-machine/launch.ts',
    find: '|| saysNothing(code)) return',
    replace: ') return',
    suites: ['kinds/infrastructure-aws/aws-machine/launch'],
  },
  {
    name: 'a launch noted for another object of that name counts',
    file: 'kinds/infrastructure-aws/aws-machine/launch.ts',
    find: 'return launch && launch.machine === metadata.uid ? launch : undefined;',
    replace: 'return launch ?? undefined;',
    suites: ['kinds/infrastructure-aws/aws-machine/launch', 'test/aws/aws-machine'],
  },
  {
    name: 'a machine without an instance in sight is gone, although its launch may be under way',
    file: 'kinds/infrastructure-aws/aws-machine/remove.ts',
    find: 'if (isHidden || mayHideAddress(snapshot, now))',
    replace: 'if (mayHideAddress(snapshot, now))',
    suites: ['kinds/infrastructure-aws/aws-machine/', 'test/aws/aws-machine'],
  },
  {
    name: 'a machine is launched in another zone than its failure domain',
    file: 'kinds/infrastructure-aws/aws-machine/placement.ts',
    find: '!failureDomain || zone === failureDomain',
    replace: '!failureDomain || zone',
    suites: ['kinds/infrastructure-aws/aws-machine/placement'],
  },
  {
    name: 'a subnet without capacity is tried again before the others',
    file: 'kinds/infrastructure-aws/aws-machine/placement.ts',
    find: '!exhausted.includes(subnetId)',
    replace: 'exhausted.includes(subnetId)',
    suites: ['kinds/infrastructure-aws/aws-machine/placement'],
  },
  {
    name: 'a machine that leaves stays registered with the load balancer',
    file: 'kinds/infrastructure-aws/aws-machine/reconcile.ts',
    find: 'running && !leaving, evidence(owner))',
    replace: 'running, evidence(owner))',
    suites: ['kinds/infrastructure-aws/aws-machine/', 'test/aws/aws-machine'],
  },
  {
    name: 'bootstrap secrets go before the machine has joined',
    file: 'kinds/infrastructure-aws/aws-machine/reconcile.ts',
    find: '?.status?.nodeRef !== undefined || !operational;',
    replace: '?.status?.nodeRef === undefined || !operational;',
    suites: ['kinds/infrastructure-aws/aws-machine/', 'test/aws/aws-machine'],
  },
];

const networks: Mutant[] = [
  {
    name: 'what was made a moment ago and does not show yet is made again',
    file: 'kinds/infrastructure-aws/aws-cluster/step.ts',
    find: 'const fresh = !announced || (step.optional ? isOver(announced, now) : !isRecent(before, step.key, now));',
    replace: 'const fresh = true;',
    suites: ['kinds/infrastructure-aws/aws-cluster/step'],
  },
  {
    name: 'what has no token is repeated although nobody knows whether it was done',
    file: 'kinds/infrastructure-aws/aws-cluster/step.ts',
    find: 'failure.group === step.key && isDefinite(failure);',
    replace: 'failure.group === step.key;',
    suites: ['kinds/infrastructure-aws/aws-cluster/step'],
  },
  {
    name: 'a repeated call has another token than the first',
    file: 'kinds/infrastructure-aws/aws-cluster/step.ts',
    find: 'const since = fresh ? now : announced.since;',
    replace: 'const since = now;',
    suites: ['kinds/infrastructure-aws/aws-cluster/step'],
  },
  {
    name: 'private subnets use the NAT gateway of another zone',
    file: 'kinds/infrastructure-aws/aws-cluster/network/nat-gateways.ts',
    find: 'const own = gatewaySubnets(network.subnets ?? []).find(({ availabilityZone }) => availabilityZone === zone);',
    replace:
      'const all = gatewaySubnets(network.subnets ?? []);\n  const own = all.find(({ availabilityZone }) => availabilityZone !== zone) ?? all[0];',
    suites: ['kinds/infrastructure-aws/aws-cluster/', 'test/aws/aws-cluster'],
  },
  {
    name: 'a security group is deleted while another one names it',
    file: 'kinds/infrastructure-aws/aws-cluster/teardown.ts',
    find: 'if (ruled.length === 0 && !bastion && balancers.length === 0)',
    replace: 'if (!bastion && balancers.length === 0)',
    suites: ['kinds/infrastructure-aws/aws-cluster/', 'test/aws/aws-cluster'],
  },
  {
    name: 'addresses are released while NAT gateways use them',
    file: 'kinds/infrastructure-aws/aws-cluster/teardown.ts',
    find: 'if ((!AssociationId || released.includes(AllocationId)) && nats.length === 0)',
    replace: 'if (AllocationId)',
    suites: ['kinds/infrastructure-aws/aws-cluster/', 'test/aws/aws-cluster'],
  },
  {
    name: 'a network is gone as soon as nothing shows, whatever was just made',
    file: 'kinds/infrastructure-aws/aws-cluster/remove.ts',
    find: 'if (teardown.empty && hidden.length === 0) return end;',
    replace: 'if (teardown.empty) return end;',
    suites: ['kinds/infrastructure-aws/aws-cluster/', 'test/aws/aws-cluster'],
  },
  {
    name: 'a network is deleted under its machines',
    file: 'kinds/infrastructure-aws/aws-cluster/remove.ts',
    find: 'if (machines.value.some(isInTheWay)) return { requeueAfter: forMachines(awsCluster, context.now) };',
    replace: '',
    suites: ['kinds/infrastructure-aws/aws-cluster/', 'test/aws/aws-machine'],
  },
  {
    name: 'the load balancer of somebody else is deleted',
    file: 'kinds/infrastructure-aws/aws-cluster/teardown.ts',
    find: 'remains.loadBalancers.filter(({ tags }) => carries(tags, owned))',
    replace: 'remains.loadBalancers.filter(() => true)',
    suites: ['kinds/infrastructure-aws/aws-cluster/', 'test/aws/aws-cluster'],
  },
];

const ownership: Mutant[] = [
  {
    name: 'the sweep takes what carries one of the ownership tags',
    file: 'adapters/cloud/tagged.ts',
    find: 'TagFilters: Object.entries(tags).map',
    replace: 'TagFilters: Object.entries(tags).slice(0, 1).map',
    suites: ['adapters/cloud/tagged'],
  },
  {
    name: 'tags are noted once they are put on, not before',
    file: 'kinds/infrastructure-aws/aws-cluster/additional-tags.ts',
    find: 'note: equal(noted, applied) ? {} :',
    replace: "note: equal(noted, applied) || steps.some(({ key }) => key.includes('/tags/')) ? {} :",
    suites: ['kinds/infrastructure-aws/aws-cluster/additional-tags', 'test/aws/additional-tags'],
  },
  {
    name: 'tags that are asked for no longer are forgotten before they are off',
    file: 'kinds/infrastructure-aws/aws-cluster/additional-tags.ts',
    find: 'const isKept = surplus.length > 0 &&',
    replace: 'const isKept = surplus.length > 99 &&',
    suites: ['kinds/infrastructure-aws/aws-cluster/additional-tags', 'test/aws/additional-tags'],
  },
  {
    name: 'tags that users ask for go on what somebody brought',
    file: 'kinds/infrastructure-aws/aws-cluster/tagging.ts',
    find: '.filter(({ there }) => carries(there, owned))',
    replace: '.filter(({ there }) => there && owned)',
    suites: ['kinds/infrastructure-aws/aws-cluster/', 'test/aws/aws-cluster'],
  },
  {
    name: 'a tag proves ownership whatever its value',
    file: 'adapters/cloud/guarded.ts',
    find: 'tag.Key === key && tag.Value === value',
    replace: 'tag.Key === key',
    suites: ['adapters/cloud/guarded'],
  },
  {
    name: 'nothing is read again before it is destroyed',
    file: 'adapters/cloud/guarded.ts',
    find: "if (destructive && (await prove(cloud, action, given)) === 'absent') return;",
    replace: '',
    suites: ['adapters/cloud/guarded'],
  },
  {
    name: 'what somebody took the tags off is terminated',
    file: 'kinds/infrastructure-aws/aws-machine/remove.ts',
    find: '  if (strange)\n',
    replace: '  if (strange && !owned)\n',
    suites: ['kinds/infrastructure-aws/aws-machine/', 'test/aws/aws-machine'],
  },
  {
    name: 'objects one position behind their account are acted on',
    file: 'adapters/installation/freeze.ts',
    find: 'if (there > here)',
    replace: 'if (there > here + 1)',
    suites: ['adapters/installation/freeze'],
  },
  {
    name: 'two processes write the mark at once',
    file: 'adapters/installation/hold.ts',
    find: 'if (holder !== undefined && now < until) return false;',
    replace: '',
    suites: ['adapters/installation/shared', 'test/model/position'],
  },
  {
    name: 'the mark is written after the hold on it has run out',
    file: 'adapters/installation/hold.ts',
    find: 'held().until - lease / 2',
    replace: 'held().until + lease',
    suites: ['adapters/installation/shared', 'test/model/position'],
  },
];

export const awsMutants: readonly Mutant[] = [...machines, ...networks, ...ownership];
