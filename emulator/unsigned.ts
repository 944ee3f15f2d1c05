/** Requests to MiniStack that no client of ours is there for; it looks at who they are for, not at signatures. */

export const unsignedHeaders = (service: string, region: string): Record<string, string> => ({
  authorization: `AWS4-HMAC-SHA256 Credential=emulator/20260101/${region}/${service}/aws4_request, SignedHeaders=host, Signature=0`,
});

export interface Event {
  source: string;
  type: string;
  resources: string[];
  detail: object;
}

/** Onto the default bus, as only AWS itself may for events of its own. */
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
