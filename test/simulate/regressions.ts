/** Runs that failed once and must pass. */
import { faultNames, passing } from './faults/index.ts';
import type { RunOptions } from './simulation.ts';

export interface Regression extends RunOptions {
  broke: string;
}

export const regressions: readonly Regression[] = [
  { seed: 6, steps: 0, broke: 'the first read of a new installation returned a conflict' },
  {
    seed: 40000,
    scenario: 'transitions',
    broke: 'the deletion of a cluster with two load balancers repeated forever a read that never completed',
  },
  {
    seed: 91007,
    broke: 'a Machine created after its cluster was gone waited for the missing control plane',
  },
  {
    seed: 9900036,
    broke: 'the network of a cluster was deleted before the machines that its control plane had orphaned',
  },
  {
    seed: 9902202,
    only: faultNames,
    broke: 'a Cluster deleted right after its pause ended was gone before its deletion was proven',
  },
  {
    seed: 10001943,
    broke: 'the quorum was lost with a machine that joined etcd during its deletion, before it had a Node',
  },
  {
    seed: 12000071,
    only: faultNames,
    broke: 'a Node stayed when its machine was deleted before its host was seen running',
  },
  { seed: 9992075, broke: 'the quorum was lost with a machine whose etcd hook a user had removed' },
  {
    seed: 9977809,
    only: faultNames,
    broke: 'a secret created after its machine had joined stayed as long as the machine',
  },
  {
    seed: 9940125,
    only: faultNames,
    broke: 'a machine in deletion waited forever for pods that had completed',
  },
  {
    seed: 16600175,
    broke:
      'a MachineDeployment never caught up when its MachineSet selected by its own name after a user removed its selector',
  },
  { seed: 16601283, broke: 'an attempt that became needless before it was recorded waited forever' },
  {
    seed: 16710518,
    broke: 'an installation without a cluster became idle although its stream had dropped a deletion',
  },
  { seed: 408806495, broke: 'a machine whose spec a user had removed was never deleted, nor was its cluster' },
  {
    seed: 8037,
    action: 'roll the control plane',
    only: [],
    broke: 'a control plane machine reported late that it was due for replacement from a date on',
  },
  {
    seed: 5065,
    action: 'delete a template',
    only: [],
    broke: 'no dependent of a template was notified of its deletion',
  },
  {
    seed: 16796124,
    action: 'pause',
    only: passing,
    broke: 'a machine deleted right after its creation was not notified of the end of its host',
  },
  {
    seed: 16797104,
    scenario: 'interference',
    only: [],
    broke: 'a deletion that AWS refuses went on hold minutes late, and a machine reported late that it takes long',
  },
  {
    seed: 17030691,
    broke: 'a control plane whose Cluster was deleted 0.1 s after its creation kept its finalizer forever',
  },
  {
    seed: 17200124,
    action: 'create a part of the cluster',
    only: [],
    broke: 'an operation kept reporting the former message of a machine',
  },
  {
    seed: 17371198,
    action: 'scale a paused rollout',
    only: [],
    broke: 'in a paused rollout one set took nearly all added machines',
  },
  { seed: 16990063, broke: 'no operation began for a template change during the creation of its cluster' },
  { seed: 20200027, broke: 'a recreated cluster was assumed to have the add-ons of its predecessor' },
  {
    seed: 20735143,
    broke: 'a deployment kept reporting a rollout after its machines had become up to date again',
  },
  {
    seed: 20750379,
    broke: 'a cluster stayed reported as reachable when its control plane and its kubeconfig were gone',
  },
  {
    seed: 20751219,
    broke: 'the configuration of kubeadm named another CoreDNS than the running one after a failed read',
  },
  {
    seed: 20760803,
    action: 'restore from a backup',
    broke: 'a deletion that froze for minutes deleted a new object of the same name',
  },
  {
    seed: 20763128,
    broke: 'no counter included a machine that its set had created and was about to delete',
  },
  {
    seed: 20763455,
    broke: 'a set whose template had an unknown kind was never requeued',
  },
  {
    seed: 618325991,
    broke: 'the quorum was lost with a machine released before the result of its launch was known',
  },
  {
    seed: 20788248,
    action: 'set a drain timeout',
    only: [],
    broke: 'a drain exceeded its timeout by minutes',
  },
  {
    seed: 20800628,
    broke: 'the report of resources with outdated tags depended on the order in which AWS lists them',
  },
  {
    seed: 22000080,
    broke: 'a new message of a Cluster about its workers came more than a minute late',
  },
  {
    seed: 22000547,
    broke: 'the same orphans were reported again after their cluster was gone',
  },
  {
    seed: 22018192,
    broke: 'an operation whose workflow stopped before it received a step never ended',
  },
  {
    seed: 671194884,
    broke: 'a kubeconfig that a user had provided and deleted was not recreated',
  },
  {
    seed: 105,
    action: 'edit selectors',
    only: [],
    broke: 'a MachineSet created a machine in place of one whose labels a user had edited',
  },
  {
    seed: 4000035,
    scenario: 'upgrades',
    broke: 'no worker could join after a rollback to a revision whose first machine had joined',
  },
  {
    seed: 3300021,
    broke: 'a rollout that an upgrade limited to one machine replaced two, and exceeded maxSurge',
  },
];
