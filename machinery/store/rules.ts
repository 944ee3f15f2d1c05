/**
 * Rules of the store that each have a counterexample. All are on. The model checker turns one off
 * at a time and must then find the history that the rule forbids; nothing else may override them.
 */
export interface Rules {
  /** A ticket is taken after the read of its own attempt. */
  ticketAfterRead: boolean;
  /** A deleted object leaves a tombstone. */
  tombstones: boolean;
  /** A creation passes only a tombstone that is older than its ticket. */
  olderTombstoneOnly: boolean;
  /** After a refusal the slot is read first: the same transaction may have been sent twice. */
  lookAtSlotFirst: boolean;
  /** A writer that lost a race waits until its own slot is sealed before it returns. */
  sealLostSlot: boolean;
  /** After an unknown outcome an absent slot is sealed before the next attempt. */
  sealUnknownSlot: boolean;
  /** A reader never passes a slot that is not filled. */
  stopAtHoles: boolean;
  /** A hole is left to its writer for a second before it is sealed. */
  sealWait: boolean;
  /**
   * `settled` trails the contiguous log by ten seconds, so that a list starts before any
   * half-visible change.
   */
  settleWindow: boolean;
  /**
   * Those ten seconds count from the first observation of the position, not from the entry's own
   * time.
   */
  settleBySight: boolean;
  /**
   * A position that this process saw complete serves its own lists only ten seconds later, too,
   * unless the table shows transactions whole.
   */
  keptWindow: boolean;
  /** A list reads the tail until it has reached the highest resourceVersion among its items. */
  reachHighest: boolean;
  /** Tombstones count among those items. */
  tombstonesInLists: boolean;
  /** No transaction is sent more than thirty seconds after its ticket. */
  sendLimit: boolean;
  /**
   * The absent slots of a type that slept are filled with expired seals before any reader
   * continues.
   */
  expiredSeals: boolean;
  /** A writer takes no ticket of a type that slept until that is done. */
  wakeBeforeTicket: boolean;
  /** A watch that meets an expired slot fails with 410. */
  watchHorizon: boolean;
  /**
   * A reader that was frozen does not mistake slots that expired after its read of the head for
   * holes.
   */
  freshReads: boolean;
}

export const rules: Rules = {
  ticketAfterRead: true,
  tombstones: true,
  olderTombstoneOnly: true,
  lookAtSlotFirst: true,
  sealLostSlot: true,
  sealUnknownSlot: true,
  stopAtHoles: true,
  sealWait: true,
  settleWindow: true,
  settleBySight: true,
  keptWindow: true,
  reachHighest: true,
  tombstonesInLists: true,
  sendLimit: true,
  expiredSeals: true,
  wakeBeforeTicket: true,
  watchHorizon: true,
  freshReads: true,
};

const second = 1000;
const hour = 3600 * second;

/**
 * Milliseconds. Required order: send limit « pages « asleep « watch horizon « oldest slot « log
 * retention.
 */
export const times = {
  sendLimit: 30 * second,
  sealWait: second,
  /** Doubles from `sealWait` while seals keep hitting live writers. */
  longestSealWait: 8 * second,
  settleWindow: 10 * second,
  asleep: hour,
  watchHorizon: 6 * hour,
  oldestSlot: 24 * hour,
  logRetention: 30 * hour,
  tombstoneRetention: 30 * hour,
  /** How long a list may continue after its first page. */
  pages: 5 * 60 * second,
  bookmark: 60 * second,
};
