/** Defects of every part that were thought up after the tests had been written. */
import type { Mutant } from '../mutant.ts';

const store: Mutant[] = [
  {
    name: 'the second page of a list leaves one object out',
    file: 'machinery/store/list.ts',
    find: 'storePages(context, name, position, states.slice(most))',
    replace: 'storePages(context, name, position, states.slice(most + 1))',
    suites: ['test/contract/store', 'test/server/read'],
  },
  {
    name: 'a watch that ends leaves its last bookmark out',
    file: 'machinery/server/watch.ts',
    find: '    bookmark?.();\n    ending.abort();',
    replace: '    ending.abort();',
    suites: ['test/server/watch'],
  },
  {
    name: 'a dry run of what is there writes',
    file: 'machinery/server/carry-out.ts',
    find: '  if (dryRun) {',
    replace: '  if (dryRun && !(await store.get(resource.type, key))) {',
    suites: ['test/server/write'],
  },
];

const loop: Mutant[] = [
  {
    name: 'a lease ends a second before the longest pass does',
    file: 'machinery/controller/work-item.ts',
    find: 'lease: 120_000,',
    replace: 'lease: 109_000,',
    suites: ['machinery/controller/work', 'test/build/template'],
  },
  {
    name: 'what is owned is not told of its owner',
    file: 'machinery/controller/dispatch.ts',
    find: 'return store.ownedKeys(entry.uid, type);',
    replace: 'return [];',
    suites: ['machinery/controller/dispatch'],
  },
  {
    name: 'what keeps killing its workers is tried at each sweep',
    file: 'machinery/controller/work.ts',
    find: 'return item.crashes < manyCrashes ||',
    replace: 'return item.crashes >= 0 ||',
    suites: ['machinery/controller/work'],
  },
  {
    name: 'a status is stamped with the generation before',
    file: 'machinery/controller/status.ts',
    find: 'stamp.failed ? before.observedGeneration : stamp.generation,',
    replace: 'before.observedGeneration ?? stamp.generation,',
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'an Event that happens again is a second Event',
    file: 'machinery/controller/events.ts',
    find: 'JSON.stringify([metadata.uid, component',
    replace: 'JSON.stringify([metadata.uid, metadata.resourceVersion, component',
    suites: ['machinery/controller/events'],
  },
];

const machines: Mutant[] = [
  {
    name: 'references name the owner of the owner',
    file: 'kinds/common/owners.ts',
    find: "uid: owner.metadata.uid ?? '',",
    replace: "uid: controllerOf(owner)?.uid ?? owner.metadata.uid ?? '',",
    suites: ['kinds/machine-set/reconcile', 'kinds/kubeadm-config/', 'test/sequence'],
  },
  {
    name: 'what is adopted forgets its other owners',
    file: 'kinds/common/owners.ts',
    find: '...ownersOf(object).filter(({ uid }) => uid !== reference.uid),',
    replace: '',
    suites: ['kinds/common/owners'],
  },
  {
    name: 'the machines of a sibling cluster are taken for its own',
    file: 'kinds/machine-set/observe.ts',
    find: 'const selected = { namespace, cluster: spec.clusterName, labels: spec.selector };',
    replace: 'const selected = { namespace, labels: spec.selector };',
    suites: ['kinds/machine-set/observe'],
  },
  {
    name: 'the oldest machine goes where the newest should',
    file: 'kinds/machine-set/deletion-order.ts',
    find: 'return better - oldness(machine, now);',
    replace: 'return oldness(machine, now);',
    suites: ['kinds/machine-set/reconcile'],
  },
  {
    name: 'a rollout takes machines that work before those that do not',
    file: 'kinds/machine-deployment/rollout.ts',
    find: 'for (const onlyUnavailable of [true, false])',
    replace: 'for (const onlyUnavailable of [false, true])',
    suites: ['kinds/machine-deployment/rollout'],
  },
  {
    name: 'the Node of a later machine is deleted with its namesake',
    file: 'kinds/machine/reconcile-delete.ts',
    find: 'if (isOther && (providerID || !(isSure || joinedBefore(machine, node.value)))) return done;',
    replace: '',
    suites: ['kinds/machine/reconcile'],
  },
  {
    name: 'a new control plane machine goes where most are',
    file: 'kinds/kubeadm-control-plane/failure-domains.ts',
    find: 'a.staying - b.staying ||',
    replace: 'b.staying - a.staying ||',
    suites: ['kinds/kubeadm-control-plane/scale'],
  },
  {
    name: 'a token to join with is renewed after its end',
    file: 'kinds/kubeadm-config/reconcile.ts',
    find: 'const tokenPeriod = tokenTtl / 3;',
    replace: 'const tokenPeriod = tokenTtl * 3;',
    suites: ['kinds/kubeadm-config/'],
  },
];

const aws: Mutant[] = [
  {
    name: 'ports that the cloud provider in a cluster opens are closed',
    file: 'kinds/aws-cluster/security-groups.ts',
    find: "role === 'lb' ? surplus.filter(isToTargets) : surplus",
    replace: 'surplus',
    suites: ['test/aws/security-groups'],
  },
  {
    name: 'volumes are launched without tags',
    file: 'kinds/aws-machine/request.ts',
    find: "'volume',\n  ...(networkInterfaces",
    replace: '...(networkInterfaces',
    suites: ['kinds/aws-machine/', 'test/aws/aws-machine'],
  },
  {
    name: 'instances give their credentials to whoever asks without a token',
    file: 'kinds/aws-machine/defaults.ts',
    find: "httpTokens: 'required',",
    replace: "httpTokens: 'optional',",
    suites: ['kinds/aws-machine/'],
  },
  {
    name: 'a machine whose instance was terminated says that it is ready',
    file: 'kinds/aws-machine/conditions.ts',
    find: "return legacyFalse(instanceReady, 'InstanceTerminated', 'Error');",
    replace: 'return legacyTrue(instanceReady);',
    suites: ['kinds/aws-machine/', 'test/aws/aws-machine'],
  },
  {
    name: 'a NAT gateway is asked for without a token',
    file: 'kinds/aws-cluster/network/nat-gateways.ts',
    find: '          ClientToken: clientToken(owner, purpose, since),\n',
    replace: '',
    suites: ['kinds/aws-cluster/', 'test/aws/aws-cluster'],
  },
  {
    name: 'target groups stay when their cluster goes',
    file: 'kinds/aws-cluster/teardown.ts',
    find: 'remains.targetGroups.filter(({ tags }) => carries(tags, owned))',
    replace: 'remains.targetGroups.filter(({ tags }) => carries(tags, { ...owned, of: "nobody" }))',
    suites: ['kinds/aws-cluster/', 'test/aws/aws-cluster'],
  },
  {
    name: 'a port that nobody wants open any more stays open',
    file: 'kinds/aws-cluster/security-rules.ts',
    find: 'revoke: [...there].filter(([id]) => !want.has(id)).map(([, permission]) => permission),',
    replace: 'revoke: [],',
    suites: ['kinds/aws-cluster/', 'test/aws/aws-cluster'],
  },
  {
    name: 'what does not show within six seconds is made again',
    file: 'kinds/aws-cluster/step.ts',
    find: 'const visibleWithin = 60_000;',
    replace: 'const visibleWithin = 6_000;',
    suites: ['kinds/aws-cluster/step'],
  },
];

const operations: Mutant[] = [
  {
    name: 'a cluster may need one more than its quota',
    file: 'kinds/cluster-operation/preflight/quotas.ts',
    find: 'used + needed <= limit)',
    replace: 'used + needed <= limit + 1)',
    suites: ['kinds/cluster-operation/preflight'],
  },
  {
    name: 'a deletion does not wait for the control plane',
    file: 'stepfunctions/delete-cluster/definition.asl.json',
    find: '"Next": "DeleteControlPlane"',
    replace: '"Next": "DeleteLoadBalancers"',
    suites: ['test/workflow/stories'],
  },
];

/** Thought up when the simulation had learnt to look at more, and tried by seeds first. */
const later: Mutant[] = [
  {
    name: 'a patch in thought is written',
    file: 'machinery/server/patch.ts',
    find: '{ dryRun: options.dryRun, next,',
    replace: '{ dryRun: false, next,',
    suites: ['test/server/write'],
  },
  {
    name: 'the deletion of a collection takes what is not selected',
    file: 'machinery/server/delete-collection.ts',
    find: 'readPage(call, selectionOf(call), limit',
    replace: 'readPage(call, { ...selectionOf(call), matches: () => true }, limit',
    suites: ['test/server/write', 'test/server/read'],
  },
  {
    name: 'what an owner leaves behind keeps the reference to it',
    file: 'machinery/gc/collector.ts',
    find: 'withOwners(dependent.object, (owner) => owner.uid !== uid);',
    replace: 'withOwners(dependent.object, () => true);',
    suites: ['machinery/gc/collector'],
  },
  {
    name: 'a Node gets the labels that are not handed on',
    file: 'kinds/machine/node-patch.ts',
    find: '.filter(([label]) => isManaged(label))',
    replace: '.filter(([label]) => !isManaged(label))',
    suites: ['kinds/machine/reconcile'],
  },
  {
    name: 'a label whose value changes in a template stays as it was below it',
    file: 'kinds/common/propagation.ts',
    find: '.filter(([key, value]) => current?.[key] !== value)',
    replace: '.filter(([key]) => current?.[key] === undefined)',
    suites: ['kinds/common/propagation'],
  },
  {
    name: 'hooks before the drain are ignored',
    file: 'kinds/machine/deletion.ts',
    find: "if (before.length > 0) return { at: 'pre-drain', hooks: before };",
    replace: '',
    suites: ['kinds/machine/reconcile'],
  },
  {
    name: 'what is to be applied whenever it changes is applied once',
    file: 'kinds/cluster-resource-set/resources.ts',
    find: "set.spec?.strategy === 'Reconcile' &&",
    replace: "set.spec?.strategy === 'ApplyOnce' &&",
    suites: ['kinds/cluster-resource-set/reconcile'],
  },
  {
    name: 'a machine that somebody chose to go goes last',
    file: 'kinds/machine-set/deletion-order.ts',
    find: '!== undefined) return 80;',
    replace: '!== undefined) return 1;',
    suites: ['kinds/machine-set/reconcile'],
  },
  {
    name: 'workers may reach etcd',
    file: 'kinds/aws-cluster/security-groups.ts',
    find: "tcp('etcd', 2379, roles('controlplane')),",
    replace: "tcp('etcd', 2379, roles('controlplane', 'node')),",
    suites: ['kinds/aws-cluster/security-groups'],
  },
  {
    name: 'one machine that is available is not counted',
    file: 'kinds/machine-set/status.ts',
    find: "availableReplicas: count('Available'),",
    replace: "availableReplicas: Math.max(0, count('Available') - 1),",
    suites: ['kinds/machine-set/reconcile'],
  },
];

/** Thought up by somebody who had read nothing of the catalogue, and tried by seeds first; none had noticed before. */
const strangers: Mutant[] = [
  {
    name: 'minReadySeconds is ignored',
    file: 'kinds/machine/conditions.ts',
    find: 'const left = (machine.spec?.minReadySeconds ?? 0) * 1000 -',
    replace: 'const left = 0 -',
    suites: ['kinds/machine/reconcile'],
  },
  {
    name: 'a drain goes on past its time limit',
    file: 'kinds/machine/deletion.ts',
    find: '!elapsed(status?.deletion?.nodeDrainStartTime, spec?.deletion?.nodeDrainTimeoutSeconds, facts.now)',
    replace: '!elapsed(status?.deletion?.nodeDrainStartTime, undefined, facts.now)',
    suites: ['kinds/machine/reconcile'],
  },
  {
    name: 'Nodes name the wrong kind of owner',
    file: 'kinds/machine/node-patch.ts',
    find: "'cluster.x-k8s.io/owner-kind': owner.kind",
    replace: "'cluster.x-k8s.io/owner-kind': machine.kind",
    suites: ['kinds/machine/reconcile'],
  },
  {
    name: 'labels reach Machines alone',
    file: 'kinds/machine-set/sync.ts',
    find: '    ...syncParts(infraMachines, hosts, flow),\n',
    replace: '',
    suites: ['kinds/machine-set/reconcile'],
  },
  {
    name: 'workers join a control plane of another minor version',
    file: 'kinds/machine-set/preflight.ts',
    find: 'mine.minor !== plane.minor\n',
    replace: 'mine.minor > plane.minor\n',
    suites: ['kinds/machine-set/reconcile'],
  },
  {
    name: 'every set has the same revision',
    file: 'kinds/machine-deployment/revisions.ts',
    find: 'Math.max(0, ...old.map(revisionOf)) + 1',
    replace: 'Math.max(1, ...old.map(revisionOf))',
    suites: ['kinds/machine-deployment/reconcile', 'test/sequence'],
  },
  {
    name: 'a deployment that is paused rolls out',
    file: 'kinds/machine-deployment/reconcile.ts',
    find: 'const rollout = spec.paused\n',
    replace: 'const rollout = spec.paused === null\n',
    suites: ['kinds/machine-deployment/reconcile'],
  },
  {
    name: 'machines go without anybody taking them out of etcd',
    file: 'kinds/kubeadm-control-plane/creation.ts',
    find: "        [annotations.cleanupHook]: '',\n",
    replace: '',
    suites: [
      'kinds/kubeadm-control-plane/scale',
      'kinds/kubeadm-control-plane/crash',
      'kinds/kubeadm-control-plane/reconcile',
    ],
  },
  {
    name: 'kube-proxy stays as old as it was',
    file: 'kinds/kubeadm-control-plane/reconcile.ts',
    find: 'act([...updateKubeProxy(controlPlane), ...updateCoreDns(controlPlane)])',
    replace: 'act([...updateCoreDns(controlPlane)])',
    suites: ['kinds/kubeadm-control-plane/upkeep'],
  },
  {
    name: 'tokens to join with last for half a day',
    file: 'kinds/kubeadm-config/token.ts',
    find: 'const expiration = (now: number) => timestamp(now + tokenTtl * 1000);',
    replace: 'const expiration = (now: number) => timestamp(now + tokenTtl * 48_000);',
    suites: ['kinds/kubeadm-config/reconcile'],
  },
  {
    name: 'workers get the keys of the control plane',
    file: 'kinds/kubeadm-config/user-data.ts',
    find: 'before: isControlPlane ? certificatesFor(input) : []',
    replace: 'before: certificatesFor(input)',
    suites: ['kinds/kubeadm-config/reconcile'],
  },
  {
    name: 'every cluster gets what some are to get',
    file: 'kinds/cluster-resource-set/observe.ts',
    find: "read.list('Cluster', { namespace, labels: clusterSelector })",
    replace: "read.list('Cluster', { namespace })",
    suites: ['kinds/cluster-resource-set/reconcile'],
  },
];

/** Thought up for seeds as well, which noticed none of them at first; those without a suite are noticed by seeds alone. */
const unheardOf: Mutant[] = [
  {
    name: 'a patch that names a resourceVersion is applied to whatever is there',
    file: 'machinery/server/patch.ts',
    find: '    return object;\n  };\n  const stored',
    replace:
      '    return { ...object, metadata: { ...object.metadata, resourceVersion: current.metadata.resourceVersion! } };\n  };\n  const stored',
    suites: ['test/server/write'],
  },
  {
    name: 'a watch of one namespace tells of all',
    file: 'machinery/server/watch.ts',
    find: '({ metadata }) => !path.namespace || metadata.namespace === path.namespace,',
    replace: '() => true,',
    suites: ['test/server/watch'],
  },
  {
    name: 'what the query of a deletion says of dependents is not heard',
    file: 'machinery/server/delete-options.ts',
    find: '= body ?? fromQuery(query);',
    replace: '= body ?? ({} as JsonObject);',
    suites: ['test/server/write'],
  },
  {
    name: 'a scale that names a resourceVersion is taken whatever happened since',
    file: 'machinery/server/scale.ts',
    find: '...(resourceVersion && { resourceVersion }), ...(uid',
    replace: '...(uid',
    suites: ['test/server/write'],
  },
  {
    name: 'Secrets are stored as anybody can read them',
    file: 'machinery/store/codec.ts',
    find: 'if (!kindOf(type)?.encrypted) return plain;',
    replace: 'if (kindOf(type)) return plain;',
    suites: ['test/contract/store'],
  },
  {
    name: 'large objects go when the log forgets',
    file: 'machinery/store/body.ts',
    find: "...(until === undefined ? { remove: ['ttl'] } : { set: { ttl: until } }),",
    replace: '...(until === undefined ? {} : { set: { ttl: until } }),',
    suites: ['test/contract/store'],
  },
  {
    name: 'a condition keeps its time whatever becomes of it',
    file: 'machinery/controller/status.ts',
    find: '(before?.status === status ? before.lastTransitionTime : undefined)',
    replace: 'before?.lastTransitionTime',
    suites: [],
  },
  {
    name: 'the annotation that pauses counts only when it says true',
    file: 'machinery/controller/pause.ts',
    find: 'Object.hasOwn(object.metadata.annotations, annotation) &&',
    replace: "object.metadata.annotations[annotation] === 'true' &&",
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'what an owner that waits owns goes without waiting itself',
    file: 'machinery/gc/collector.ts',
    find: "withoutBlocking(object)) : object, 'Foreground')",
    replace: "withoutBlocking(object)) : object, 'Background')",
    suites: ['machinery/gc/collector'],
  },
  {
    name: 'objects that own each other in a circle wait for each other',
    file: 'machinery/gc/collector.ts',
    find: 'const mayBeCircle = dependents.some(isWaiting);',
    replace: 'const mayBeCircle = false;',
    suites: ['machinery/gc/collector'],
  },
  {
    name: 'who ceases to block its owner tells nobody',
    file: 'machinery/gc/requests.ts',
    find: 'return !now || (blockOwnerDeletion === true && !now.blockOwnerDeletion);',
    replace: 'return !now;',
    suites: ['machinery/gc/collector'],
  },
  {
    name: 'a load balancer stands in one zone',
    file: 'kinds/aws-cluster/load-balancer.ts',
    find: 'if (isPlaced || !zones.has(there.AvailabilityZone)) zones.set',
    replace: 'if (zones.size === 0) zones.set',
    suites: [],
  },
  {
    name: 'volumes stay when their instance goes',
    file: 'kinds/aws-machine/request.ts',
    find: 'DeleteOnTermination: true,',
    replace: 'DeleteOnTermination: false,',
    suites: ['kinds/aws-machine/request'],
  },
  {
    name: 'what a client of an older version changes is put back',
    file: 'kinds/common/losses.ts',
    find: 'if (isDeepStrictEqual(into, was)) return value;',
    replace: 'if (isDeepStrictEqual(into, was) || was !== null) return value;',
    suites: ['kinds/kubeadm-config/convert'],
  },
  {
    name: 'whoever is on a host reads with what it joins',
    file: 'kinds/kubeadm-config/cloud-config.ts',
    find: "    path: documents[kubeadm.action],\n    owner: 'root:root',\n    permissions: '0640',",
    replace: "    path: documents[kubeadm.action],\n    owner: 'root:root',\n    permissions: '0644',",
    suites: [],
  },
  {
    name: 'clients are told of a name that does not resolve yet',
    file: 'kinds/aws-cluster/load-balancer.ts',
    find: 'if (!endpoint || endpoint.Resolves) return',
    replace: 'if (!endpoint || endpoint.Host) return',
    suites: [],
  },
];

export const afterthoughtMutants: readonly Mutant[] = [
  ...store,
  ...loop,
  ...machines,
  ...aws,
  ...operations,
  ...later,
  ...strangers,
  ...unheardOf,
];
