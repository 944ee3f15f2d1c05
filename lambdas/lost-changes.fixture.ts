/** The notification that AWS sends for a batch of changes that the stream's mapping discarded. */
import event from './fixtures/sns-lost-changes.json' with { type: 'json' };

const [record] = event.Records;

/** `arrived`: when the last of these changes arrived, in milliseconds since the epoch. */
export const lostChangesMessage = (arrived: number): string => {
  const { DDBStreamBatchInfo, ...others } = JSON.parse(record!.Sns.Message);
  const lastRecordAt = new Date(arrived).toISOString();
  return JSON.stringify({
    ...others,
    DDBStreamBatchInfo: { ...DDBStreamBatchInfo, approximateArrivalOfLastRecord: lastRecordAt },
  });
};

export const lostChangesEvent = (arrived: number) => ({
  Records: [{ ...record, Sns: { ...record!.Sns, Message: lostChangesMessage(arrived) } }],
});
