/** Runs that once failed. They must pass. */
import { faultNames, passing } from './faults/index.ts';
import type { RunOptions } from './simulation.ts';

export interface Regression extends RunOptions {
  broke: string;
}

export const regressions: readonly Regression[] = [
  { seed: 6, steps: 0, broke: 'the first read of a new installation was answered with a conflict' },
  {
    seed: 40000,
    scenario: 'transitions',
    broke: 'the deletion of a cluster with two load balancers read for ever what it could not read to the end',
  },
  {
    seed: 91007,
    broke: 'a Machine that was made after its cluster was gone waited for a control plane that was gone, too',
  },
  {
    seed: 9900036,
    broke: 'the network of a cluster went before machines that its control plane had left behind',
  },
  {
    seed: 9902202,
    only: faultNames,
    broke: 'a Cluster that went as soon as it was no longer paused was gone before anybody had begun to prove it',
  },
  {
    seed: 10001943,
    broke: 'the quorum was lost with a machine that joined etcd just when it was let go, for it had no Node yet',
  },
  {
    seed: 12000071,
    only: faultNames,
    broke: 'a Node stayed whose machine went before anybody had seen its host run',
  },
  { seed: 9992075, broke: 'the quorum was lost with a machine from which somebody had taken what holds it for etcd' },
  {
    seed: 9977809,
    only: faultNames,
    broke: 'a secret that was made after its machine had joined stayed as long as the machine',
  },
  {
    seed: 9940125,
    only: faultNames,
    broke: 'a machine that went waited for ever for pods that had completed as they were asked to',
  },
  {
    seed: 16600175,
    broke:
      'a MachineDeployment was behind for ever whose MachineSet selects by its own name since somebody took its selector off',
  },
  { seed: 16601283, broke: 'an attempt that was begun, and not needed any more before it was named, waited for ever' },
  {
    seed: 16710518,
    broke: 'an installation without a cluster fell asleep over a deletion that its stream had given up',
  },
  { seed: 408806495, broke: 'a machine from which somebody had taken its spec was never deleted, nor was its cluster' },
  {
    seed: 8037,
    action: 'roll the control plane',
    only: [],
    broke: 'a machine of a control plane did not say on time that it was to be replaced from a date on',
  },
  {
    seed: 5065,
    action: 'delete a template',
    only: [],
    broke: 'nobody who needs a template was told that it was gone',
  },
  {
    seed: 16796124,
    action: 'pause',
    only: passing,
    broke: 'a machine that was deleted as soon as it was made was not told that its host was gone',
  },
  {
    seed: 16797104,
    scenario: 'interference',
    only: [],
    broke: 'a deletion that AWS refuses was held minutes late, and a machine did not say in time that it takes long',
  },
  {
    seed: 17030691,
    broke: 'a control plane whose Cluster went within a tenth of a second of being made was never let go',
  },
  {
    seed: 17200124,
    action: 'create it in part',
    only: [],
    broke: 'an operation went on saying what a machine had said before it said something else',
  },
  {
    seed: 17371198,
    action: 'pause a rollout, and scale it',
    only: [],
    broke: 'of a rollout that is paused one set took nearly all machines that were added',
  },
  { seed: 16990063, broke: 'a template was changed while its cluster was made, and no operation was begun for that' },
  { seed: 20200027, broke: 'a cluster made again under its name was taken to have the add-ons of the one before' },
  {
    seed: 20735143,
    broke:
      'a deployment went on saying that it rolls out when its machines had taken back that they are to be replaced',
  },
  {
    seed: 20750379,
    broke: 'a cluster went on being said to answer when its control plane and its kubeconfig were gone',
  },
  {
    seed: 20751219,
    broke: 'kubeadm kept another DNS than the one that ran, where what it keeps could not be read once',
  },
  {
    seed: 20760803,
    action: 'restore from a backup',
    broke: 'a deletion that stood still for minutes took away what had been made under the same name since',
  },
  {
    seed: 20763128,
    broke: 'a machine that its set had made and was to take away again was counted by nobody for a moment',
  },
  {
    seed: 20763455,
    broke: 'a set whose template was of a kind that is not there was never looked at again',
  },
  {
    seed: 618325991,
    broke: 'the quorum was lost with a machine that was let go while nobody knew yet what came of its launch',
  },
  {
    seed: 20788248,
    action: 'limit the time',
    only: [],
    broke: 'a drain went on for minutes beyond the limit that its users had set',
  },
  {
    seed: 20800628,
    broke: 'which of several resources still carries the former tags was told in the order that AWS lists them in',
  },
  {
    seed: 22000080,
    broke: 'what a Cluster says in other words of its workers came more than a minute late',
  },
  {
    seed: 22000547,
    broke: 'the same orphans were reported again when their cluster was gone, too',
  },
  {
    seed: 22018192,
    broke: 'an operation whose workflow was stopped before it heard of a step went on for ever',
  },
  {
    seed: 671194884,
    broke: 'a kubeconfig that somebody had brought and took away was not made anew',
  },
  {
    seed: 105,
    action: 'edit what machines are found by',
    only: [],
    broke: 'a MachineSet bought a machine in place of one whose labels a user had edited',
  },
];
