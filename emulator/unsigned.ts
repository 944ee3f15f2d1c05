/** Requests to MiniStack without an SDK client; it reads the account from them, and ignores signatures. */

export const unsignedHeaders = (service: string, region: string): Record<string, string> => ({
  authorization: `AWS4-HMAC-SHA256 Credential=emulator/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`,
});

export interface Event {
  source: string;
  type: string;
  resources: string[];
  detail: object;
}

/** Puts an event on the default bus, as only AWS may for its own events. */
export const putEvent = async (endpoint: string, region: string, event: Event): Promise<void> => {
  const { source, type, resources, detail } = event;
  const entry = { Source: source, DetailType: type, Resources: resources, Detail: JSON.stringify(detail) };
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      ...unsignedHeaders('events', region),
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AWSEvents.PutEvents',
    },
    body: JSON.stringify({ Entries: [entry] }),
  });
  const answer = (await response.json()) as { FailedEntryCount?: number };
  if (!response.ok || answer.FailedEntryCount) throw new Error(`PutEvents failed with ${response.status}`);
};

/** Publishes to a topic, as only AWS may to a topic without other publishers. */
export const publish = async (endpoint: string, region: string, topic: string, message: string): Promise<void> => {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: unsignedHeaders('sns', region),
    body: new URLSearchParams({ Action: 'Publish', Version: '2010-03-31', TopicArn: topic, Message: message }),
  });
  if (!response.ok) throw new Error(`Publish failed with ${response.status}: ${await response.text()}`);
};
