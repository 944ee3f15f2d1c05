/**
 * One booted machine for its programs: files, clock, console, and the state that survives a
 * restart.
 */
import type { FileSystem, Mounted } from '../../kinds/components/kubeadm/preflight.ts';
import type { GuestServices } from '../ports.ts';
import type { CommandRecord, GuestRecord, KubeletRecord } from './records.ts';

export interface Machine {
  record: GuestRecord;
  /** The running command; `save` stores changes to it. */
  command: CommandRecord;
  files: Map<string, string>;
  /** Of its user data, in their order. */
  commands: readonly string[];
  mounts: readonly Mounted[];
  fileSystems: readonly FileSystem[];
  hostname: string;
  services: GuestServices;
  now(): number;
  /** A simulated delay in real milliseconds. */
  scaled(ms: number): number;
  /** Resolves at that time; rejects with Halted when the machine goes down first. */
  until(time: number): Promise<void>;
  print(...lines: string[]): void;
  /** Its kubelet belongs to a cluster from now on. */
  join(kubelet: KubeletRecord): void;
  save(): void;
}

/** The machine went down, and everything that ran on it ended. */
export class Halted extends Error {
  override readonly name = 'Halted';
}
