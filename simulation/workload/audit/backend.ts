/**
 * The audit backend of API servers: sends events in batches, and repeats a refused batch a few times. What
 * is not sent when a machine halts or the process ends is lost.
 */
import type { Cancel, Clock } from '../../../machinery/ports.ts';
import type { GuestServices } from '../../ports.ts';
import type { GuestRecord } from '../records.ts';
import { isLogged } from './configuration.ts';
import type { AuditEvent } from './events.ts';

export interface AuditBackend {
  /** Records an event of the API server on this machine. */
  record(guest: GuestRecord, event: AuditEvent): void;
  stop(): void;
}

export interface AuditBackendOptions {
  clock: Clock;
  speed: number;
  services: () => GuestServices;
  isRunning: (instanceId: string) => boolean;
}

/** Milliseconds; kube-apiserver's own numbers, but for the flags that Capstan sets. */
const maxWait = 1000;
const firstBackoff = 1000;
const factor = 1.5;
const attempts = 5;
const maxSize = 100;
const bufferSize = 1000;

export const createAuditBackend = ({ clock, speed, services, isRunning }: AuditBackendOptions): AuditBackend => {
  const buffers = new Map<string, AuditEvent[]>();
  const timers = new Set<Cancel>();
  let isStopped = false;

  const after = (ms: number, run: () => void): void => {
    if (isStopped) return;
    const cancel = clock.after(ms / speed, () => {
      timers.delete(cancel);
      run();
    });
    timers.add(cancel);
  };

  const send = async (guest: GuestRecord, items: AuditEvent[], attempt: number): Promise<void> => {
    const audit = guest.kubelet?.apiServer?.audit;
    if (!audit || isStopped || !isRunning(guest.instance.instanceId)) return;
    const body = JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items });
    const status = await services()
      .post?.(audit.server, { token: audit.token, body })
      .catch(() => undefined);
    if (status !== undefined && status < 300) return;
    if (attempt < attempts) after(firstBackoff * factor ** (attempt - 1), () => void send(guest, items, attempt + 1));
  };

  const flush = (guest: GuestRecord): void => {
    const { instanceId } = guest.instance;
    const events = buffers.get(instanceId) ?? [];
    buffers.delete(instanceId);
    for (let from = 0; from < events.length; from += maxSize) void send(guest, events.slice(from, from + maxSize), 1);
  };

  return {
    record: (guest, event) => {
      const audit = guest.kubelet?.apiServer?.audit;
      if (isStopped || !audit || !isLogged(audit, event)) return;
      const { instanceId } = guest.instance;
      const buffer = buffers.get(instanceId);
      if (!buffer) {
        buffers.set(instanceId, [event]);
        after(maxWait, () => flush(guest));
      } else if (buffer.length < bufferSize) buffer.push(event);
    },
    stop: () => {
      isStopped = true;
      for (const cancel of timers) cancel();
    },
  };
};
