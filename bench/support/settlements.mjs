/** Makes all pending transactions due, so that the service settles them. */
export async function makeDue(client) {
  await client.query("UPDATE transactions SET settles_at = now() WHERE status = 'pending'");
}

export async function untilSettled(client) {
  for (;;) {
    const { rowCount } = await client.query("SELECT FROM transactions WHERE status = 'pending' LIMIT 1");
    if (rowCount === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
