/** What is shown until the session and the language are there, and in index.html before that. */
export function Opening() {
  return (
    <main className="alone">
      <p className="brand">Countinghouse</p>
    </main>
  );
}
