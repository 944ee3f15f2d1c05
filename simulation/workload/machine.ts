/** One booted machine as the programs on it see it: files, clock, console, and what is kept over a restart. */
import type { GuestServices } from '../ports.ts';
import type { CommandRecord, GuestRecord, KubeletRecord } from './records.ts';

export interface Machine {
  record: GuestRecord;
  /** The command that runs now; `save` keeps what is written to it. */
  command: CommandRecord;
  files: Map<string, string>;
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

/** The machine went down: nothing of what it was doing goes on. */
export class Halted extends Error {
  override readonly name = 'Halted';
}
