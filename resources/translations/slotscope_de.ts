<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
    <context>
        <name>slotscope</name>
        <message>
            <source>The session's layout is of another version; the present one stays.</source>
            <translation>Die Anordnung der Sitzung ist von einer anderen Version; die jetzige bleibt.</translation>
        </message>
        <message>
            <source>Panels of {label}</source>
            <translation>Ansichten von {label}</translation>
        </message>
        <message>
            <source>Save picture</source>
            <translation>Bild speichern</translation>
        </message>
        <message>
            <source>Save data</source>
            <translation>Daten speichern</translation>
        </message>
        <message>
            <source>{panel} copied as a picture</source>
            <translation>{panel} als Bild kopiert</translation>
        </message>
        <message>
            <source>{panel} saved as {path}</source>
            <translation>{panel} gespeichert als {path}</translation>
        </message>
        <message>
            <source>{panel} has no series to save</source>
            <translation>{panel} hat keine Reihe zum Speichern</translation>
        </message>
        <message>
            <source>Panels that share a place</source>
            <translation>Ansichten am selben Platz</translation>
        </message>
        <message>
            <source>The saved layout is of another version; the default is shown.</source>
            <translation>Die gespeicherte Anordnung ist von einer anderen Version; die übliche ist zu sehen.</translation>
        </message>
        <message>
            <source>More buttons of this panel</source>
            <translation>Weitere Knöpfe dieser Ansicht</translation>
        </message>
        <message>
            <source>Results go to the fol&amp;der</source>
            <translation>Ergebnisse in den Or&amp;dner</translation>
        </message>
        <message>
            <source>Data, pictures and the parts that are kept.</source>
            <translation>Daten, Bilder und die aufbewahrten Teile.</translation>
        </message>
        <message>
            <source>Results go to</source>
            <translation>Ergebnisse nach</translation>
        </message>
        <message>
            <source>&amp;Trace</source>
            <translation>Auf&amp;zeichnung</translation>
        </message>
        <message>
            <source>Trace</source>
            <translation>Aufzeichnung</translation>
        </message>
        <message>
            <source>choose</source>
            <translation>wählen</translation>
        </message>
        <message>
            <source>Choose
Chooses a folder.</source>
            <translation>Wählen
Wählt einen Ordner.</translation>
        </message>
        <message>
            <source>files</source>
            <translation>Dateien</translation>
        </message>
        <message>
            <source>Files
Chooses files of the trace.</source>
            <translation>Dateien
Wählt Dateien der Aufzeichnung.</translation>
        </message>
        <message>
            <source>folder</source>
            <translation>Ordner</translation>
        </message>
        <message>
            <source>Folder
Chooses the folder of a trace.</source>
            <translation>Ordner
Wählt den Ordner einer Aufzeichnung.</translation>
        </message>
        <message>
            <source>Files of a recorded workload, or their folder; several are set apart by '{sign}'.</source>
            <translation>Dateien einer aufgezeichneten Last oder ihr Ordner; mehrere durch „{sign}“ getrennt.</translation>
        </message>
        <message>
            <source>Sca&amp;le</source>
            <translation>&amp;Umfang</translation>
        </message>
        <message>
            <source>How much is simulated.</source>
            <translation>Wie viel simuliert wird.</translation>
        </message>
        <message>
            <source>&amp;Values, a line for each field</source>
            <translation>&amp;Werte, eine Zeile je Feld</translation>
        </message>
        <message>
            <source>&amp;Policies, a line for each</source>
            <translation>&amp;Strategien, je eine Zeile</translation>
        </message>
        <message>
            <source>Policies to compare, with parameters where wanted, as in power-of-d:choices=5.</source>
            <translation>Strategien zum Vergleich, wenn gewünscht mit Parametern, wie power-of-d:choices=5.</translation>
        </message>
        <message>
            <source>&amp;Policies beside, a line for each</source>
            <translation>Weitere &amp;Strategien, je eine Zeile</translation>
        </message>
        <message>
            <source>Other policies in the same figure, also of your own, such as my_policy.py.</source>
            <translation>Andere Strategien in derselben Abbildung, auch eigene, zum Beispiel my_policy.py.</translation>
        </message>
        <message>
            <source>&amp;Until t =</source>
            <translation>&amp;Bis t =</translation>
        </message>
        <message>
            <source>When each run ends; empty: as the scenario says.</source>
            <translation>Wann jeder Lauf endet; leer: wie im Szenario.</translation>
        </message>
        <message>
            <source>F&amp;irst seed</source>
            <translation>Ers&amp;ter Seed</translation>
        </message>
        <message>
            <source>That of the first replication; the others have the next ones. Empty: the run's.</source>
            <translation>Der der ersten Wiederholung; die anderen haben die nächsten. Leer: der des Laufs.</translation>
        </message>
        <message>
            <source>R&amp;eplications</source>
            <translation>Wi&amp;ederholungen</translation>
        </message>
        <message>
            <source>Runs of each combination, on other seeds.</source>
            <translation>Läufe je Kombination, mit anderen Seeds.</translation>
        </message>
        <message>
            <source>&amp;Worker processes</source>
            <translation>&amp;Parallele Prozesse</translation>
        </message>
        <message>
            <source>How many work at the same time; the result does not depend on it.</source>
            <translation>Wie viele gleichzeitig arbeiten; das Ergebnis hängt nicht davon ab.</translation>
        </message>
        <message>
            <source>A field of the scenario and the values that it takes, such as {example}.</source>
            <translation>Ein Feld des Szenarios und seine Werte, wie {example}.</translation>
        </message>
        <message>
            <source>experiments</source>
            <translation>Experimente</translation>
        </message>
        <message>
            <source>Experiments
Up and down choose one; F5 runs it.</source>
            <translation>Experimente
Auf und ab wählt eines; F5 führt es aus.</translation>
        </message>
        <message>
            <source>notes on the numbers</source>
            <translation>Anmerkungen zu den Zahlen</translation>
        </message>
        <message>
            <source>numbers or notes</source>
            <translation>Zahlen oder Anmerkungen</translation>
        </message>
        <message>
            <source>Numbers</source>
            <translation>Zahlen</translation>
        </message>
        <message>
            <source>The numbers beside the paper's.</source>
            <translation>Die Zahlen neben denen der Arbeit.</translation>
        </message>
        <message>
            <source>Notes</source>
            <translation>Anmerkungen</translation>
        </message>
        <message>
            <source>What the paper says, and what was chosen.</source>
            <translation>Was die Arbeit sagt und was gewählt wurde.</translation>
        </message>
        <message>
            <source>&amp;Run</source>
            <translation>&amp;Lauf</translation>
        </message>
        <message>
            <source>&amp;Stop</source>
            <translation>A&amp;bbrechen</translation>
        </message>
        <message>
            <source>&amp;Open folder</source>
            <translation>&amp;Ordner öffnen</translation>
        </message>
        <message>
            <source>Copy the details</source>
            <translation>Einzelheiten kopieren</translation>
        </message>
        <message>
            <source>share that is done</source>
            <translation>fertiger Anteil</translation>
        </message>
        <message>
            <source>Carries out the parts that are missing.</source>
            <translation>Führt die fehlenden Teile aus.</translation>
        </message>
        <message>
            <source>Stops at once; finished parts are kept.</source>
            <translation>Bricht sofort ab; fertige Teile bleiben.</translation>
        </message>
        <message>
            <source>Open folder</source>
            <translation>Ordner öffnen</translation>
        </message>
        <message>
            <source>No program here shows folders; the files are in {folder}</source>
            <translation>Hier zeigt kein Programm Ordner; die Dateien liegen in {folder}</translation>
        </message>
        <message>
            <source>The first points come as soon as their parts are finished.</source>
            <translation>Die ersten Punkte kommen, sobald ihre Teile fertig sind.</translation>
        </message>
        <message>
            <source>Nothing has run yet. Run carries out the experiment.</source>
            <translation>Noch ist nichts gelaufen. Lauf führt das Experiment aus.</translation>
        </message>
        <message>
            <source>Experiments</source>
            <translation>Experimente</translation>
        </message>
        <message>
            <source>{kept} of {total} parts kept; going on from there.</source>
            <translation>{kept} von {total} Teilen sind da; von dort geht es weiter.</translation>
        </message>
        <message>
            <source>This experiment has no curves; its numbers stand below.</source>
            <translation>Dieses Experiment hat keine Kurven; seine Zahlen stehen unten.</translation>
        </message>
        <message>
            <source>Write what to vary at the left, a line for each field, and press Run.</source>
            <translation>Links eintragen, was variiert werden soll, eine Zeile je Feld, dann Lauf.</translation>
        </message>
        <message>
            <source>Sweep of the open scenario</source>
            <translation>Variation des offenen Szenarios</translation>
        </message>
        <message>
            <source>all combinations of values</source>
            <translation>alle Kombinationen der Werte</translation>
        </message>
        <message>
            <source>Sweep of {name}</source>
            <translation>Variation von {name}</translation>
        </message>
        <message>
            <source>Stopping ...</source>
            <translation>Bricht ab …</translation>
        </message>
        <message>
            <source>One experiment at a time: {title} runs.</source>
            <translation>Ein Experiment nach dem anderen: {title} läuft.</translation>
        </message>
        <message>
            <source>&amp;Run on</source>
            <translation>&amp;Weiter</translation>
        </message>
        <message>
            <source>Writing data and pictures ...</source>
            <translation>Schreibt Daten und Bilder …</translation>
        </message>
        <message>
            <source>Written to {folder}: {names}</source>
            <translation>Geschrieben nach {folder}: {names}</translation>
        </message>
        <message>
            <source>Stopped.</source>
            <translation>Abgebrochen.</translation>
        </message>
        <message>
            <source>That could not be done: {fault}</source>
            <translation>Das war nicht möglich: {fault}</translation>
        </message>
        <message>
            <source>Nothing has run yet. Run carries out {total} parts.</source>
            <translation>Noch ist nichts gelaufen. Lauf führt {total} Teile aus.</translation>
        </message>
        <message>
            <source>a moment</source>
            <translation>ein Augenblick</translation>
        </message>
        <message>
            <source>running: making ready</source>
            <translation>läuft: wird vorbereitet</translation>
        </message>
        <message>
            <source>not run</source>
            <translation>nicht gelaufen</translation>
        </message>
        <message>
            <source>done</source>
            <translation>fertig</translation>
        </message>
        <message>
            <source>about</source>
            <translation>etwa</translation>
        </message>
        <message>
            <source>{share}, {time} left</source>
            <translation>{share}, noch {time}</translation>
        </message>
        <message>
            <source>{done} of {total} parts kept</source>
            <translation>{done} von {total} Teilen da</translation>
        </message>
        <message>
            <source>{done} of {total} parts kept; Run goes on from there.</source>
            <translation>{done} von {total} Teilen da; Lauf geht von dort weiter.</translation>
        </message>
        <message>
            <source>{share}, longer than estimated</source>
            <translation>{share}, länger als geschätzt</translation>
        </message>
        <message>
            <source>running</source>
            <translation>läuft</translation>
        </message>
        <message>
            <source>Computing the optimum …</source>
            <translation>Das Optimum wird berechnet …</translation>
        </message>
        <message>
            <source>Solving the single-server problem …</source>
            <translation>Das Problem eines Servers wird gelöst …</translation>
        </message>
        <message>
            <source>Computing the supportable workload …</source>
            <translation>Die tragbare Last wird berechnet …</translation>
        </message>
        <message>
            <source>Computing the optimum and the greedy assignment …</source>
            <translation>Optimum und Greedy werden berechnet …</translation>
        </message>
        <message>
            <source>Language</source>
            <translation>Sprache</translation>
        </message>
        <message>
            <source>From the next start on slotscope speaks {language}.</source>
            <translation>Ab dem nächsten Start spricht slotscope {language}.</translation>
        </message>
        <message>
            <source>Add</source>
            <translation>Anfügen</translation>
        </message>
        <message>
            <source>Add
Writes the moment at the end of the lesson (Enter).</source>
            <translation>Anfügen
Schreibt den Augenblick ans Ende der Lektion (Eingabetaste).</translation>
        </message>
        <message>
            <source>my-lesson.toml, new or not</source>
            <translation>meine-lektion.toml, neu oder vorhanden</translation>
        </message>
        <message>
            <source>What is to be said of this moment, in a few sentences</source>
            <translation>Was zu diesem Augenblick zu sagen ist, in wenigen Sätzen</translation>
        </message>
        <message>
            <source>Lesson's file</source>
            <translation>Datei der Lektion</translation>
        </message>
        <message>
            <source>Text</source>
            <translation>Text</translation>
        </message>
        <message>
            <source>Step {number} of '{title}' written to {path}</source>
            <translation>Schritt {number} von „{title}“ geschrieben nach {path}</translation>
        </message>
        <message>
            <source>found '{path}', allowed: a path that ends in .toml</source>
            <translation>„{path}“ ist angegeben; erlaubt: ein Pfad, der auf .toml endet</translation>
        </message>
        <message>
            <source>Closing code {code}; answers written to {path}: {count}</source>
            <translation>Schlusscode {code}; Antworten in {path}: {count}</translation>
        </message>
        <message>
            <source>Keep answers in</source>
            <translation>Antworten aufbewahren in</translation>
        </message>
        <message>
            <source>Answers (*.answers)</source>
            <translation>Antworten (*.answers)</translation>
        </message>
        <message>
            <source>another run was opened meanwhile</source>
            <translation>inzwischen wurde ein anderer Lauf geöffnet</translation>
        </message>
        <message>
            <source>Shown is {other}, this step is about {scenario}: PageUp and PageDown lead back to the lesson.</source>
            <translation>Gezeigt wird {other}, dieser Schritt handelt von {scenario}: Bild-auf und Bild-ab führen zurück zur Lektion.</translation>
        </message>
        <message>
            <source>{fault}; choose another file</source>
            <translation>{fault}; bitte eine andere Datei wählen</translation>
        </message>
        <message>
            <source>This step's moment cannot be shown: {fault}</source>
            <translation>Der Augenblick dieses Schritts lässt sich nicht zeigen: {fault}</translation>
        </message>
        <message>
            <source>This step: {fault}</source>
            <translation>Dieser Schritt: {fault}</translation>
        </message>
        <message>
            <source>Exercise in</source>
            <translation>Übung in</translation>
        </message>
        <message>
            <source>Begin</source>
            <translation>Beginnen</translation>
        </message>
        <message>
            <source>Begin
Runs the scenario with this seed, and asks for its decisions (Enter).</source>
            <translation>Beginnen
Startet das Szenario mit diesem Seed und fragt nach seinen Entscheidungen (Eingabetaste).</translation>
        </message>
        <message>
            <source>Decide</source>
            <translation>Entscheiden</translation>
        </message>
        <message>
            <source>Difficulty</source>
            <translation>Schwierigkeit</translation>
        </message>
        <message>
            <source>Seed</source>
            <translation>Seed</translation>
        </message>
        <message>
            <source>Difficulty
any: each decision. harder, hardest: the one in {few}, or in {many}, events that decide something for which most is to be looked at.</source>
            <translation>Schwierigkeit
beliebig: jede Entscheidung. schwerer, am schwersten: die unter {few} oder {many} Ereignissen, die etwas entscheiden, für die am meisten zu betrachten ist.</translation>
        </message>
        <message>
            <source>{right} of {count} right</source>
            <translation>{right} von {count} richtig</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>Antwort</translation>
        </message>
        <message>
            <source>Counts of the class</source>
            <translation>Zählung im Kurs</translation>
        </message>
        <message>
            <source>counts: 3 = 12; none = 5</source>
            <translation>Zählung: 3 = 12; none = 5</translation>
        </message>
        <message>
            <source>counts</source>
            <translation>Zählung</translation>
        </message>
        <message>
            <source>Counts of the class
How many gave which answer; told beside the right one (Enter).</source>
            <translation>Zählung im Kurs
Wie viele welche Antwort gaben; steht dann neben der richtigen (Eingabetaste).</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Schließen</translation>
        </message>
        <message>
            <source>Skip</source>
            <translation>Überspringen</translation>
        </message>
        <message>
            <source>Writes this answer into the field.</source>
            <translation>Schreibt diese Antwort in das Feld.</translation>
        </message>
        <message>
            <source>The event that comes decides nothing; go on to one that does.</source>
            <translation>Das nächste Ereignis entscheidet nichts; gehen Sie zu einem, das etwas entscheidet.</translation>
        </message>
        <message>
            <source>The question of this step cannot be asked: {fault}</source>
            <translation>Die Frage dieses Schritts kann nicht gestellt werden: {fault}</translation>
        </message>
        <message>
            <source>The curve: drag, or use the arrow keys</source>
            <translation>Die Kurve: ziehen oder mit den Pfeiltasten</translation>
        </message>
        <message>
            <source>Show this page when slotscope starts</source>
            <translation>Diese Seite beim Start von slotscope zeigen</translation>
        </message>
        <message>
            <source>New here?</source>
            <translation>Neu hier?</translation>
        </message>
        <message>
            <source>Scenarios</source>
            <translation>Szenarien</translation>
        </message>
        <message>
            <source>{number} of {count}</source>
            <translation>{number} von {count}</translation>
        </message>
        <message>
            <source>New here? A tour of two minutes shows what is where.</source>
            <translation>Neu hier? Ein Rundgang von zwei Minuten zeigt, was wo ist.</translation>
        </message>
        <message>
            <source>The default layout is back; Ctrl+Z takes that back.</source>
            <translation>Die übliche Anordnung ist zurück; Strg+Z nimmt das zurück.</translation>
        </message>
        <message>
            <source>Breakpoints are set in the log of the first policy, {policy}.</source>
            <translation>Haltepunkte werden in den Entscheidungen der ersten Strategie gesetzt: {policy}.</translation>
        </message>
        <message>
            <source>Nothing has run yet.</source>
            <translation>Noch ist nichts gelaufen.</translation>
        </message>
        <message>
            <source>Why here, or why does it still wait?</source>
            <translation>Warum hier, oder warum wartet er noch?</translation>
        </message>
        <message>
            <source>{panel} does not apply to {policy}: it has no {parts}.</source>
            <translation>{panel} gibt es nicht für {policy}; es fehlt: {parts}.</translation>
        </message>
        <message>
            <source>The answer stands here: it is shown once one is given.</source>
            <translation>Hier steht die Antwort: Das wird gezeigt, sobald eine gegeben ist.</translation>
        </message>
        <message>
            <source>Why this {what}?</source>
            <translation>Warum „{what}“?</translation>
        </message>
        <message>
            <source>its only sub-step</source>
            <translation>sein einziger Teilschritt</translation>
        </message>
        <message>
            <source>Press Space to pause and Shift+Right to step into a decision.</source>
            <translation>Leertaste hält an, Umschalt+Rechts geht in eine Entscheidung hinein.</translation>
        </message>
        <message>
            <source>all {count} sub-steps</source>
            <translation>alle {count} Teilschritte</translation>
        </message>
        <message>
            <source>Nothing will happen any more.</source>
            <translation>Es geschieht nichts mehr.</translation>
        </message>
        <message>
            <source>Next: {event}. Shift+Right steps into the decision.</source>
            <translation>Als Nächstes: {event}. Umschalt+Rechts geht in die Entscheidung hinein.</translation>
        </message>
        <message>
            <source>after event {number}</source>
            <translation>nach Ereignis {number}</translation>
        </message>
        <message>
            <source>What else counts as a difference</source>
            <translation>Was noch als Unterschied zählt</translation>
        </message>
        <message>
            <source>One policy runs alone; Compare, above, puts others beside it.</source>
            <translation>Eine Strategie läuft allein; „Vergleichen“ oben stellt andere daneben.</translation>
        </message>
        <message>
            <source>{count} jobs are compared; {button} goes on with the rest.</source>
            <translation>{count} Jobs sind verglichen; {button} macht mit den übrigen weiter.</translation>
        </message>
        <message>
            <source>No job has arrived yet.</source>
            <translation>Noch ist kein Job angekommen.</translation>
        </message>
        <message>
            <source>1 job</source>
            <translation>1 Job</translation>
        </message>
        <message>
            <source>{count} jobs</source>
            <translation>{count} Jobs</translation>
        </message>
        <message>
            <source>The events up to here are not at hand: step on, or back.</source>
            <translation>Die Ereignisse bis hier sind nicht zur Hand: einen Schritt weiter oder zurück.</translation>
        </message>
        <message>
            <source>search</source>
            <translation>suchen</translation>
        </message>
        <message>
            <source>Search: only events whose sentence has all of these words.
Return asks it as a question of all history, such as waiting &gt; 50 becomes true; F3 goes to the next hit.</source>
            <translation>Suche: nur Ereignisse, deren Satz alle diese Wörter enthält.
Die Eingabetaste fragt damit den ganzen Verlauf, wie waiting &gt; 50 becomes true; F3 geht zum nächsten Treffer.</translation>
        </message>
        <message>
            <source>search the log</source>
            <translation>das Protokoll durchsuchen</translation>
        </message>
        <message>
            <source>decisions</source>
            <translation>Entscheidungen</translation>
        </message>
        <message>
            <source>follow the run</source>
            <translation>dem Lauf folgen</translation>
        </message>
        <message>
            <source>Follow the run: back to the newest event.</source>
            <translation>Dem Lauf folgen: zurück zum neuesten Ereignis.</translation>
        </message>
        <message>
            <source>None of the last {count} events is of these kinds.</source>
            <translation>Keines der letzten {count} Ereignisse ist von diesen Arten.</translation>
        </message>
        <message>
            <source>No event yet: press Space to run, or Right to step.</source>
            <translation>Noch kein Ereignis: Leertaste lässt laufen, Rechts geht einen Schritt.</translation>
        </message>
        <message>
            <source>Go there</source>
            <translation>Dorthin gehen</translation>
        </message>
        <message>
            <source>Why?</source>
            <translation>Warum?</translation>
        </message>
        <message>
            <source>What if ...</source>
            <translation>Was wäre, wenn …</translation>
        </message>
        <message>
            <source>Run until here</source>
            <translation>Bis hierher laufen</translation>
        </message>
        <message>
            <source>Copy the line</source>
            <translation>Zeile kopieren</translation>
        </message>
        <message>
            <source>Copy the command that opens this moment</source>
            <translation>Befehl kopieren, der diesen Augenblick öffnet</translation>
        </message>
        <message>
            <source>It holds at none of these kinds of event.</source>
            <translation>Sie gilt bei keinem Ereignis dieser Arten.</translation>
        </message>
        <message>
            <source>None of the last {count} sentences has these words. Return asks it of all history.</source>
            <translation>Keiner der letzten {count} Sätze hat diese Wörter. Die Eingabetaste fragt damit den ganzen Verlauf.</translation>
        </message>
        <message>
            <source>Remove the breakpoint</source>
            <translation>Haltepunkt entfernen</translation>
        </message>
        <message>
            <source>Break here</source>
            <translation>Hier anhalten</translation>
        </message>
        <message>
            <source>Shows only these; several kinds may be chosen.</source>
            <translation>Zeigt nur diese; mehrere Arten sind möglich.</translation>
        </message>
        <message>
            <source>show only</source>
            <translation>zeige nur</translation>
        </message>
        <message>
            <source>It held at no event so far.</source>
            <translation>Das galt bisher bei keinem Ereignis.</translation>
        </message>
        <message>
            <source>{some} of {all}</source>
            <translation>{some} von {all}</translation>
        </message>
        <message>
            <source>Copied: {text}</source>
            <translation>Kopiert: {text}</translation>
        </message>
        <message>
            <source>Add a job type</source>
            <translation>Jobtyp anfügen</translation>
        </message>
        <message>
            <source>Add a job type: a copy of the last one, to be changed.</source>
            <translation>Jobtyp anfügen: eine Kopie des letzten, zum Ändern.</translation>
        </message>
        <message>
            <source>Restart</source>
            <translation>Neu starten</translation>
        </message>
        <message>
            <source>Restart: run this scenario from time 0.</source>
            <translation>Neu starten: dieses Szenario ab Zeit 0 laufen lassen.</translation>
        </message>
        <message>
            <source>Continue</source>
            <translation>Fortfahren</translation>
        </message>
        <message>
            <source>Continue: go on from the present state under these rules, with new arrivals. Possible while the servers and the names of the job types stay the same. I goes on with the same jobs.</source>
            <translation>Fortfahren: vom jetzigen Zustand nach diesen Regeln weiter, mit neuen Ankünften. Möglich, solange Server und Namen der Jobtypen gleich bleiben. I fährt mit denselben Jobs fort.</translation>
        </message>
        <message>
            <source>Fork</source>
            <translation>Verzweigen</translation>
        </message>
        <message>
            <source>Fork: go on from the present state under these rules with the same jobs, beside the run that is left.</source>
            <translation>Verzweigen: vom jetzigen Zustand nach diesen Regeln mit denselben Jobs weiter, neben dem verlassenen Lauf.</translation>
        </message>
        <message>
            <source>Revert</source>
            <translation>Verwerfen</translation>
        </message>
        <message>
            <source>Revert: drop the edits and show what runs.</source>
            <translation>Verwerfen: die Änderungen fallen lassen und zeigen, was läuft.</translation>
        </message>
        <message>
            <source>{count} fields need attention.</source>
            <translation>{count} Felder sind zu berichtigen.</translation>
        </message>
        <message>
            <source>1 field needs attention.</source>
            <translation>1 Feld ist zu berichtigen.</translation>
        </message>
        <message>
            <source>The run uses another scenario: Revert to load it.</source>
            <translation>Es läuft ein anderes Szenario: Verwerfen lädt es.</translation>
        </message>
        <message>
            <source>Edited, not applied yet. Other servers, or types of jobs, need a restart.</source>
            <translation>Geändert, noch nicht angewandt. Andere Server oder Jobtypen verlangen einen Neustart.</translation>
        </message>
        <message>
            <source>Edited, not applied yet.</source>
            <translation>Geändert, noch nicht angewandt.</translation>
        </message>
        <message>
            <source>This is what runs.</source>
            <translation>Das ist, was läuft.</translation>
        </message>
        <message>
            <source>event {number}, sub-step {substep}</source>
            <translation>Ereignis {number}, Teilschritt {substep}</translation>
        </message>
        <message>
            <source>slot {number}</source>
            <translation>Zeitschlitz {number}</translation>
        </message>
        <message>
            <source>event {number}</source>
            <translation>Ereignis {number}</translation>
        </message>
        <message>
            <source>Black: any key brings the picture back</source>
            <translation>Schwarz: Jede Taste holt das Bild zurück</translation>
        </message>
        <message>
            <source>Note</source>
            <translation>Notiz</translation>
        </message>
        <message>
            <source>Note, then Enter</source>
            <translation>Notiz, dann Eingabetaste</translation>
        </message>
        <message>
            <source>Pen</source>
            <translation>Stift</translation>
        </message>
        <message>
            <source>{name} ({policies}, seed {seed}) at event {event}</source>
            <translation>{name} ({policies}, Seed {seed}) bei Ereignis {event}</translation>
        </message>
        <message>
            <source>{key} goes back to {run}.</source>
            <translation>{key} führt zurück zu {run}.</translation>
        </message>
        <message>
            <source>a run without a name</source>
            <translation>ein Lauf ohne Namen</translation>
        </message>
        <message>
            <source>All stand at t = {time}, as far as the new policy came; run on from here.</source>
            <translation>Alle stehen bei t = {time}, so weit kam die neue Strategie; von hier geht es weiter.</translation>
        </message>
        <message>
            <source>No decision differs so far: running on to the first (Esc stops).</source>
            <translation>Bisher keine andere Entscheidung: Es läuft bis zur ersten (Esc hält an).</translation>
        </message>
        <message>
            <source>Compare</source>
            <translation>Vergleichen</translation>
        </message>
        <message>
            <source>Other parameters ...</source>
            <translation>Andere Parameter …</translation>
        </message>
        <message>
            <source>From a file ...</source>
            <translation>Aus einer Datei …</translation>
        </message>
        <message>
            <source>Compare with a policy of your own</source>
            <translation>Mit einer eigenen Strategie vergleichen</translation>
        </message>
        <message>
            <source>End comparison</source>
            <translation>Vergleich beenden</translation>
        </message>
        <message>
            <source>Step into the decisions of</source>
            <translation>Hineingehen in die Entscheidungen von</translation>
        </message>
        <message>
            <source>Policy file</source>
            <translation>Datei einer Strategie</translation>
        </message>
        <message>
            <source>now</source>
            <translation>jetzt</translation>
        </message>
        <message>
            <source>next</source>
            <translation>nächstes</translation>
        </message>
        <message>
            <source>Just before the first decision that differs.</source>
            <translation>Unmittelbar vor der ersten anderen Entscheidung.</translation>
        </message>
        <message>
            <source>Comparing</source>
            <translation>Im Vergleich</translation>
        </message>
        <message>
            <source>{policy} runs beside it already</source>
            <translation>{policy} läuft schon daneben</translation>
        </message>
        <message>
            <source>Back in</source>
            <translation>Zurück in</translation>
        </message>
        <message>
            <source>Forked after event {event}:</source>
            <translation>Abgezweigt nach Ereignis {event}:</translation>
        </message>
        <message>
            <source>{doing} ({key} stops it)</source>
            <translation>{doing} ({key} bricht ab)</translation>
        </message>
        <message>
            <source>Running to event {event}: {share}</source>
            <translation>Läuft bis Ereignis {event}: {share}</translation>
        </message>
        <message>
            <source>Running without drawing</source>
            <translation>Läuft, ohne zu zeichnen</translation>
        </message>
        <message>
            <source>Running to time {time}: {share}</source>
            <translation>Läuft bis zur Zeit {time}: {share}</translation>
        </message>
        <message>
            <source>Running to the next {kind}</source>
            <translation>Läuft bis zum nächsten: {kind}</translation>
        </message>
        <message>
            <source>A policy of your own</source>
            <translation>Eine eigene Strategie</translation>
        </message>
        <message>
            <source>A new policy of your own</source>
            <translation>Eine neue eigene Strategie</translation>
        </message>
        <message>
            <source>Python files</source>
            <translation>Python-Dateien</translation>
        </message>
        <message>
            <source>All files</source>
            <translation>Alle Dateien</translation>
        </message>
        <message>
            <source>no limit</source>
            <translation>ohne Grenze</translation>
        </message>
        <message>
            <source>{rate} sub-steps/s</source>
            <translation>{rate} Teilschritte/s</translation>
        </message>
        <message>
            <source>{policy}: loaded again, replayed to event {event}.</source>
            <translation>{policy}: neu geladen und bis Ereignis {event} wiederholt.</translation>
        </message>
        <message>
            <source>The question holds at the next event.</source>
            <translation>Die Frage gilt beim nächsten Ereignis.</translation>
        </message>
        <message>
            <source>Session saved as {path}</source>
            <translation>Sitzung gespeichert als {path}</translation>
        </message>
        <message>
            <source>Scenario saved as {path}</source>
            <translation>Szenario gespeichert als {path}</translation>
        </message>
        <message>
            <source>{count} events written to {path}</source>
            <translation>{count} Ereignisse stehen in {path}</translation>
        </message>
        <message>
            <source>A trace for {scenario}</source>
            <translation>Eine Aufzeichnung für {scenario}</translation>
        </message>
        <message>
            <source>trace</source>
            <translation>Aufzeichnung</translation>
        </message>
        <message>
            <source>Choose a trace for {scenario} ...</source>
            <translation>Aufzeichnung für {scenario} wählen …</translation>
        </message>
        <message>
            <source>compiling {done} of {all}</source>
            <translation>übersetzt {done} von {all}</translation>
        </message>
        <message>
            <source>compiling the policy's kernel</source>
            <translation>übersetzt die Strategie</translation>
        </message>
        <message>
            <source>loading compiled code</source>
            <translation>lädt Übersetztes</translation>
        </message>
        <message>
            <source>policy {number} runs no more, but {run} does; ask again there</source>
            <translation>Strategie {number} läuft nicht mehr, sondern {run}; bitte dort noch einmal fragen</translation>
        </message>
        <message>
            <source>There is no earlier event of that kind.</source>
            <translation>Davor gibt es kein solches Ereignis.</translation>
        </message>
        <message>
            <source>Back at</source>
            <translation>Zurück bei</translation>
        </message>
        <message>
            <source>Opening {scenario}</source>
            <translation>{scenario} wird geöffnet</translation>
        </message>
        <message>
            <source>Opened</source>
            <translation>Geöffnet:</translation>
        </message>
        <message>
            <source>Nothing is copied: {fault}.</source>
            <translation>Nichts ist kopiert: {fault}.</translation>
        </message>
        <message>
            <source>Panels that are shown; the first is the largest; none: lecture mode's.</source>
            <translation>Gezeigte Ansichten; die erste ist die größte; keine: die des Vorlesungsmodus.</translation>
        </message>
        <message>
            <source>The whole lesson, with its questions</source>
            <translation>Die ganze Lektion mit ihren Fragen</translation>
        </message>
        <message>
            <source>as usual; moments a second, or time a second</source>
            <translation>wie üblich; Augenblicke je Sekunde oder Zeit je Sekunde</translation>
        </message>
        <message>
            <source>File</source>
            <translation>Datei</translation>
        </message>
        <message>
            <source>While the question is open, without what tells its answer: {panels}.</source>
            <translation>Solange die Frage offen ist, ohne das, was die Antwort verrät: {panels}.</translation>
        </message>
        <message>
            <source>how far it is</source>
            <translation>wie weit es ist</translation>
        </message>
        <message>
            <source>Choose ...</source>
            <translation>Auswählen …</translation>
        </message>
        <message>
            <source>Save</source>
            <translation>Speichern</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Panels that are shown; none: the servers alone.</source>
            <translation>Gezeigte Ansichten; keine: nur die Server.</translation>
        </message>
        <message>
            <source>An event such as 40, 40.3 for three sub-steps into the next, or t = 12.5 for a time.</source>
            <translation>Ein Ereignis wie 40, 40.3 für drei Teilschritte in das nächste hinein oder t = 12.5 für eine Zeit.</translation>
        </message>
        <message>
            <source>A path without an ending is that of a folder, which gets PNG pictures.</source>
            <translation>Ein Pfad ohne Endung ist der eines Ordners, der PNG-Bilder erhält.</translation>
        </message>
        <message>
            <source>From</source>
            <translation>Von</translation>
        </message>
        <message>
            <source>To</source>
            <translation>Bis</translation>
        </message>
        <message>
            <source>Steps</source>
            <translation>Schritte</translation>
        </message>
        <message>
            <source>Panels</source>
            <translation>Ansichten</translation>
        </message>
        <message>
            <source>Pace</source>
            <translation>Tempo</translation>
        </message>
        <message>
            <source>Size</source>
            <translation>Größe</translation>
        </message>
        <message>
            <source>found nothing, allowed: a path</source>
            <translation>nichts gefunden, erlaubt: ein Pfad</translation>
        </message>
        <message>
            <source>{file} is there already; Save once more to replace it</source>
            <translation>{file} gibt es schon; noch einmal Speichern ersetzt sie</translation>
        </message>
        <message>
            <source>Saved as {file}</source>
            <translation>Gespeichert als {file}</translation>
        </message>
        <message>
            <source>Menus</source>
            <translation>Menüs</translation>
        </message>
        <message>
            <source>Others ...</source>
            <translation>Weitere …</translation>
        </message>
        <message>
            <source>▾ more</source>
            <translation>▾ mehr</translation>
        </message>
        <message>
            <source>what is wrong with the policy</source>
            <translation>was an der Strategie falsch ist</translation>
        </message>
        <message>
            <source>Fault</source>
            <translation>Fehler</translation>
        </message>
        <message>
            <source>Try again</source>
            <translation>Noch einmal</translation>
        </message>
        <message>
            <source>Try again
Builds the panel afresh and shows the present moment.</source>
            <translation>Noch einmal
Baut die Ansicht neu auf und zeigt den jetzigen Augenblick.</translation>
        </message>
        <message>
            <source>Copy the details
For a report: where it happened, and the command that opens this moment.</source>
            <translation>Einzelheiten kopieren
Für einen Bericht: wo es geschah, und der Befehl, der diesen Augenblick öffnet.</translation>
        </message>
        <message>
            <source>{title} cannot be shown: {fault}

The run and the other panels go on. Try again, here or at another moment.</source>
            <translation>{title} kann nicht gezeigt werden: {fault}

Der Lauf und die anderen Ansichten gehen weiter. Hier oder an einem anderen Augenblick noch einmal versuchen.</translation>
        </message>
        <message>
            <source>Clear</source>
            <translation>Löschen</translation>
        </message>
        <message>
            <source>Breakpoints</source>
            <translation>Haltepunkte</translation>
        </message>
        <message>
            <source>a question, or the number of an event</source>
            <translation>Bedingung oder Ereignisnummer</translation>
        </message>
        <message>
            <source>every </source>
            <translation>alle </translation>
        </message>
        <message>
            <source> hits</source>
            <translation> Treffer</translation>
        </message>
        <message>
            <source>at every hit</source>
            <translation>bei jedem Treffer</translation>
        </message>
        <message>
            <source>how often it has to hold</source>
            <translation>wie oft sie gelten muss</translation>
        </message>
        <message>
            <source>10: the run stops at the 10th hit from here on, then at the 20th, and so on.</source>
            <translation>10: Der Lauf hält beim 10. Treffer von hier an, dann beim 20. und so weiter.</translation>
        </message>
        <message>
            <source>A run stops just before these events. Del removes one, Space switches it off and on; Enter goes to one with a number, and takes another up to be changed.</source>
            <translation>Ein Lauf hält unmittelbar vor diesen Ereignissen. Entf entfernt eines, die Leertaste schaltet es aus und ein; die Eingabetaste springt zu einem mit Nummer und nimmt ein anderes zum Ändern auf.</translation>
        </message>
        <message>
            <source>Remove</source>
            <translation>Entfernen</translation>
        </message>
        <message>
            <source>Clear all</source>
            <translation>Alle entfernen</translation>
        </message>
        <message>
            <source>every {0} hits after event {1}</source>
            <translation>alle {0} Treffer nach Ereignis {1}</translation>
        </message>
        <message>
            <source>every {0} hits</source>
            <translation>alle {0} Treffer</translation>
        </message>
        <message>
            <source>event {0}</source>
            <translation>Ereignis {0}</translation>
        </message>
        <message>
            <source>this run has no such thing</source>
            <translation>gibt es in diesem Lauf nicht</translation>
        </message>
        <message>
            <source>Compare with</source>
            <translation>Vergleichen mit</translation>
        </message>
        <message>
            <source>policy and parameters</source>
            <translation>Strategie und Parameter</translation>
        </message>
        <message>
            <source>A policy with other parameters, such as {example}, or the path of a policy file</source>
            <translation>Eine Strategie mit anderen Parametern wie {example} oder der Pfad der Datei einer Strategie</translation>
        </message>
        <message>
            <source>Run until</source>
            <translation>Laufen bis</translation>
        </message>
        <message>
            <source>Time, event or kind of event</source>
            <translation>Zeit, Ereignis oder Art von Ereignis</translation>
        </message>
        <message>
            <source>Open</source>
            <translation>Öffnen</translation>
        </message>
        <message>
            <source>Scenarios and sessions (*.toml *.json *.slotscope);;All files (*)</source>
            <translation>Szenarien und Sitzungen (*.toml *.json *.slotscope);;Alle Dateien (*)</translation>
        </message>
        <message>
            <source>Save session</source>
            <translation>Sitzung speichern</translation>
        </message>
        <message>
            <source>Sessions (*.slotscope)</source>
            <translation>Sitzungen (*.slotscope)</translation>
        </message>
        <message>
            <source>Save scenario</source>
            <translation>Szenario speichern</translation>
        </message>
        <message>
            <source>Scenarios (*.toml)</source>
            <translation>Szenarien (*.toml)</translation>
        </message>
        <message>
            <source>Export events</source>
            <translation>Ereignisse ausgeben</translation>
        </message>
        <message>
            <source>t = 20, or 1000, or {kind}</source>
            <translation>t = 20 oder 1000 oder {kind}</translation>
        </message>
        <message>
            <source>The run is at event {event} already; the line of history goes back</source>
            <translation>Der Lauf ist schon bei Ereignis {event}; die Leiste des Verlaufs führt zurück</translation>
        </message>
        <message>
            <source>The run is at t = {time} already; the line of history goes back</source>
            <translation>Der Lauf ist schon bei t = {time}; die Leiste des Verlaufs führt zurück</translation>
        </message>
        <message>
            <source>Run until a time (t = 20), an event's number (1000), or a kind of event ({kinds}, ...)</source>
            <translation>Laufen bis zu einer Zeit (t = 20), der Nummer eines Ereignisses (1000) oder einer Art von Ereignis ({kinds}, …)</translation>
        </message>
        <message>
            <source> or </source>
            <translation> oder </translation>
        </message>
        <message>
            <source>After event {number}, {following}. The jobs stay the same.</source>
            <translation>Nach Ereignis {number}, {following}. Die Jobs bleiben dieselben.</translation>
        </message>
        <message>
            <source>What if</source>
            <translation>Was wäre, wenn</translation>
        </message>
        <message>
            <source>what is decided of the next event</source>
            <translation>was beim nächsten Ereignis entschieden wird</translation>
        </message>
        <message>
            <source>its number</source>
            <translation>seine Nummer</translation>
        </message>
        <message>
            <source>Decide so</source>
            <translation>So entscheiden</translation>
        </message>
        <message>
            <source>the policy that goes on from here</source>
            <translation>die Strategie, die ab hier fortfährt</translation>
        </message>
        <message>
            <source>Go on so</source>
            <translation>So fortfahren</translation>
        </message>
        <message>
            <source>forks</source>
            <translation>Verzweigungen</translation>
        </message>
        <message>
            <source>The run goes on. Pause it to decide otherwise: Space in its window.</source>
            <translation>Der Lauf geht weiter. Anders entschieden wird, wenn er anhält: Leertaste in seinem Fenster.</translation>
        </message>
        <message>
            <source>nothing happens any more</source>
            <translation>es geschieht nichts mehr</translation>
        </message>
        <message>
            <source>Fork (F2 renames, Del removes)</source>
            <translation>Verzweigung (F2 benennt um, Entf entfernt)</translation>
        </message>
        <message>
            <source>after event</source>
            <translation>nach Ereignis</translation>
        </message>
        <message>
            <source>Nothing is decided in the next event.</source>
            <translation>Beim nächsten Ereignis wird nichts entschieden.</translation>
        </message>
        <message>
            <source>another policy from here on, such as {policy}</source>
            <translation>eine andere Strategie ab hier, etwa {policy}</translation>
        </message>
        <message>
            <source>History
Drag to any moment of the run; ticks below are keyframes, those above hits of the log's question.</source>
            <translation>Verlauf
Zu jedem Augenblick des Laufs ziehen; Striche unten sind gesicherte Zustände, Striche oben Treffer der Bedingung im Protokoll.</translation>
        </message>
        <message>
            <source>The disk takes no more of the history ({reason}): keyframes are further apart, and going back is slower.</source>
            <translation>Die Platte nimmt nichts mehr vom Verlauf ({reason}): gesicherte Zustände stehen weiter auseinander, zurückzugehen dauert länger.</translation>
        </message>
        <message>
            <source>History</source>
            <translation>Verlauf</translation>
        </message>
        <message>
            <source>nothing on disk</source>
            <translation>nichts auf der Platte</translation>
        </message>
        <message>
            <source>{size} of memory</source>
            <translation>{size} Speicher</translation>
        </message>
        <message>
            <source>{size} of disk</source>
            <translation>{size} Platte</translation>
        </message>
        <message>
            <source>The history of each run may take: {memory}, {disk}.</source>
            <translation>Die Geschichte jedes Laufs darf haben: {memory}, {disk}.</translation>
        </message>
        <message>
            <source>{rate} events/s</source>
            <translation>{rate} Ereignisse/s</translation>
        </message>
        <message>
            <source>{rate} M events/s</source>
            <translation>{rate} M Ereignisse/s</translation>
        </message>
        <message>
            <source>{rate} k events/s</source>
            <translation>{rate} k Ereignisse/s</translation>
        </message>
        <message>
            <source>a laboratory for scheduling policies</source>
            <translation>ein Labor für Scheduling-Strategien</translation>
        </message>
        <message>
            <source>panels: event {event}</source>
            <translation>Ansichten: Ereignis {event}</translation>
        </message>
        <message>
            <source>Compiling failed; the reference goes on running.</source>
            <translation>Das Übersetzen schlug fehl; die Referenz läuft weiter.</translation>
        </message>
        <message>
            <source>Compiled: the run is at full speed.</source>
            <translation>Übersetzt: der Lauf hat volle Geschwindigkeit.</translation>
        </message>
        <message>
            <source>seed</source>
            <translation>Seed</translation>
        </message>
        <message>
            <source>Trace
The files of recorded jobs that the scenario plays.</source>
            <translation>Aufzeichnung
Die Dateien aufgezeichneter Jobs, die das Szenario abspielt.</translation>
        </message>
        <message>
            <source>Compiling
The run goes on under the reference meanwhile.</source>
            <translation>Übersetzen
Der Lauf geht so lange mit der Referenz weiter.</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>Anhalten</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>Laufen</translation>
        </message>
        <message>
            <source>Lesson</source>
            <translation>Lektion</translation>
        </message>
        <message>
            <source>found '{path}', allowed: a path that ends in .mp4 or .gif, or a folder's</source>
            <translation>„{path}“ ist angegeben; erlaubt: ein Pfad, der auf .mp4 oder .gif endet, oder der eines Ordners</translation>
        </message>
        <message>
            <source>found no ffmpeg, which makes films of pictures; install it ('apt-get install ffmpeg', or 'pip install imageio-ffmpeg'), or give a folder for PNG pictures</source>
            <translation>ffmpeg fehlt, das aus Bildern Filme macht; installieren Sie es (apt-get install ffmpeg oder pip install imageio-ffmpeg), oder geben Sie einen Ordner für PNG-Bilder an</translation>
        </message>
        <message>
            <source>found pictures of another film, allowed: an empty folder</source>
            <translation>darin sind Bilder eines anderen Films; erlaubt: ein leerer Ordner</translation>
        </message>
        <message>
            <source>cannot be made: {fault}</source>
            <translation>kann nicht angelegt werden: {fault}</translation>
        </message>
        <message>
            <source>found a stretch of more than {most} moments, allowed: a shorter one, or one that goes event by event</source>
            <translation>eine Strecke von mehr als {most} Momenten; erlaubt: eine kürzere, oder eine von Ereignis zu Ereignis</translation>
        </message>
        <message>
            <source>another run is open meanwhile, and no line opens this one</source>
            <translation>inzwischen ist ein anderer Lauf offen, und keine Zeile öffnet diesen</translation>
        </message>
        <message>
            <source>found '{path}', allowed: a path that ends in .pdf, or a folder's</source>
            <translation>„{path}“ ist angegeben; erlaubt: ein Pfad, der auf .pdf endet, oder der eines Ordners</translation>
        </message>
        <message>
            <source>found other pictures, allowed: an empty folder</source>
            <translation>darin sind andere Bilder; erlaubt: ein leerer Ordner</translation>
        </message>
        <message>
            <source>{what}: {number} so far</source>
            <translation>{what}: bisher {number}</translation>
        </message>
        <message>
            <source>{policy}: catching up</source>
            <translation>{policy}: holt auf</translation>
        </message>
        <message>
            <source>stopped before the policies met again: all stand at the start, and their history is kept</source>
            <translation>abgebrochen, bevor die Policies wieder zusammentrafen: alle stehen am Anfang, ihr Verlauf bleibt erhalten</translation>
        </message>
        <message>
            <source>found a folder, allowed: the path of a file</source>
            <translation>ein Ordner; erlaubt: der Pfad einer Datei</translation>
        </message>
        <message>
            <source>{path}: cannot be written: {fault}</source>
            <translation>{path}: lässt sich nicht schreiben: {fault}</translation>
        </message>
        <message>
            <source>none: {meaning}</source>
            <translation>none: {meaning}</translation>
        </message>
        <message>
            <source>the number of {thing} ({numbers})</source>
            <translation>die Nummer {thing} ({numbers})</translation>
        </message>
        <message>
            <source>{first} to {last}</source>
            <translation>{first} bis {last}</translation>
        </message>
        <message>
            <source>{number}, or {nobody}</source>
            <translation>{number} oder {nobody}</translation>
        </message>
        <message>
            <source>Looking for a decision</source>
            <translation>Suche eine Entscheidung</translation>
        </message>
        <message>
            <source>{question} (The next {count} decisions are equally hard.)</source>
            <translation>{question} (Die nächsten {count} Entscheidungen sind gleich schwer.)</translation>
        </message>
        <message>
            <source>no such decision comes (events looked at: {count}); allowed: another one, another seed</source>
            <translation>eine solche Entscheidung kommt nicht (betrachtete Ereignisse: {count}); erlaubt: eine andere, ein anderer Seed</translation>
        </message>
        <message>
            <source>exercises need a scenario that can be opened again; {why}</source>
            <translation>Übungen brauchen ein Szenario, das wieder geöffnet werden kann; {why}</translation>
        </message>
        <message>
            <source>{doing}: stopped</source>
            <translation>{doing}: abgebrochen</translation>
        </message>
        <message>
            <source>the number of a policy ({policies}), or alike</source>
            <translation>die Nummer einer Strategie ({policies}) oder alike: gleich</translation>
        </message>
        <message>
            <source>How does the curve of the {curve} under {policy} go on until time {time}? Draw it.</source>
            <translation>Wie geht die Kurve ({curve}) unter {policy} bis zur Zeit {time} weiter? Zeichnen Sie sie.</translation>
        </message>
        <message>
            <source>{count} numbers, the {curve} at times {first} to {last}; or draw the curve</source>
            <translation>{count} Zahlen, {curve} zu den Zeiten {first} bis {last}; oder die Kurve zeichnen</translation>
        </message>
        <message>
            <source>How does the curve of the {curve} go on until time {time}? Draw it.</source>
            <translation>Wie geht die Kurve ({curve}) bis zur Zeit {time} weiter? Zeichnen Sie sie.</translation>
        </message>
        <message>
            <source>Going to time {time}</source>
            <translation>Gehe zur Zeit {time}</translation>
        </message>
        <message>
            <source>Which has the larger mean {curve} until time {time}: {policies}?</source>
            <translation>Welche hat bis zur Zeit {time} im Mittel mehr ({curve}): {policies}?</translation>
        </message>
        <message>
            <source>answers with how many gave them, such as '3 = 12; none = 5'</source>
            <translation>Antworten mit der Zahl derer, die sie gaben, etwa '3 = 12; none = 5'</translation>
        </message>
        <message>
            <source>{reason}</source>
            <translation>{reason}</translation>
        </message>
        <message>
            <source>Not so: {why} Right is {answer}; the paper leaves a choice, others are right as well.</source>
            <translation>Nicht richtig, sondern etwa {answer}: {why} Das Paper lässt hier eine Wahl; andere Antworten sind auch richtig.</translation>
        </message>
        <message>
            <source>Right: {why}</source>
            <translation>Richtig: {why}</translation>
        </message>
        <message>
            <source>{reason} The paper leaves a choice here; other answers are right as well.</source>
            <translation>{reason} Das Paper lässt hier eine Wahl; andere Antworten sind auch richtig.</translation>
        </message>
        <message>
            <source>found '{answer}', allowed: {allowed}</source>
            <translation>gefunden '{answer}', erlaubt: {allowed}</translation>
        </message>
        <message>
            <source>Not so: {why}</source>
            <translation>Nicht richtig: {why}</translation>
        </message>
        <message>
            <source>Not so: {why} Right is {answer}.</source>
            <translation>Nicht richtig, sondern {answer}: {why}</translation>
        </message>
        <message>
            <source>nothing is written yet, allowed: {allowed}</source>
            <translation>noch steht nichts da, erlaubt: {allowed}</translation>
        </message>
        <message>
            <source>found '{answer}' twice, allowed: each answer once</source>
            <translation>'{answer}' steht zweimal da, erlaubt: jede Antwort einmal</translation>
        </message>
        <message>
            <source>found {number}, allowed: from 1 to {lanes}, as many as run here</source>
            <translation>gefunden {number}, erlaubt: von 1 bis {lanes}, so viele laufen hier</translation>
        </message>
        <message>
            <source>Under {policy}: {question}</source>
            <translation>Unter {policy}: {question}</translation>
        </message>
        <message>
            <source>{text}</source>
            <translation>{text}</translation>
        </message>
        <message>
            <source>a number, such as 0.25 or 1/4</source>
            <translation>eine Zahl wie 0.25 oder 1/4</translation>
        </message>
        <message>
            <source>{count} whole numbers, such as {example}</source>
            <translation>{count} ganze Zahlen wie {example}</translation>
        </message>
        <message>
            <source>a whole number</source>
            <translation>eine ganze Zahl</translation>
        </message>
        <message>
            <source>{event}. What is {variable} after this line? {line}</source>
            <translation>{event}. Was ist {variable} nach dieser Zeile? {line}</translation>
        </message>
        <message>
            <source>found {end}, allowed: after {start}</source>
            <translation>{end} ist angegeben; erlaubt: nach {start}</translation>
        </message>
        <message>
            <source>a number of servers from 0 (blocked) to {most}</source>
            <translation>eine Zahl von Servern, von 0 (blockiert) bis {most}</translation>
        </message>
        <message>
            <source>Job {number} arrives. How many servers does it get?</source>
            <translation>Job {number} kommt an. Wie viele Server bekommt er?</translation>
        </message>
        <message>
            <source>Job {number} of type {phases}</source>
            <translation>Job {number} vom Typ {phases}</translation>
        </message>
        <message>
            <source>{job} arrives. Which token may it take, or none?</source>
            <translation>{job} kommt an. Welche Marke darf er nehmen, oder keine (none)?</translation>
        </message>
        <message>
            <source>it goes to a backup server</source>
            <translation>er geht zu einem Ersatzserver</translation>
        </message>
        <message>
            <source>{job} arrives. Which server may it join, or none?</source>
            <translation>{job} kommt an. Zu welchem Server darf er, oder zu keinem (none)?</translation>
        </message>
        <message>
            <source>{job} arrives. Which server does it join, or none?</source>
            <translation>{job} kommt an. Zu welchem Server geht er, oder zu keinem (none)?</translation>
        </message>
        <message>
            <source>a backup server takes it</source>
            <translation>ein Ersatzserver nimmt ihn</translation>
        </message>
        <message>
            <source>Solving the single-server problem: {steps} steps, throughput {throughput} so far</source>
            <translation>Löse das Problem eines Servers: {steps} Schritte, Durchsatz bisher {throughput}</translation>
        </message>
        <message>
            <source>Solving the single-server problem</source>
            <translation>Löse das Problem eines Servers</translation>
        </message>
        <message>
            <source>a configuration: {names}</source>
            <translation>eine Konfiguration: {names}</translation>
        </message>
        <message>
            <source>Which server takes job {number} next, or none?</source>
            <translation>Welcher Server nimmt Job {number} als Nächstes, oder keiner (none)?</translation>
        </message>
        <message>
            <source>it waits on</source>
            <translation>er wartet weiter</translation>
        </message>
        <message>
            <source>Which job is served next, on server {server}?</source>
            <translation>Welcher Job wird auf Server {server} als Nächstes bedient?</translation>
        </message>
        <message>
            <source>Server {server} gets an active configuration. Which one?</source>
            <translation>Server {server} bekommt eine aktive Konfiguration. Welche?</translation>
        </message>
        <message>
            <source>{type} job {number}</source>
            <translation>Job {number} ({type})</translation>
        </message>
        <message>
            <source>slots of each type ({types}), such as {example}</source>
            <translation>Slots jedes Typs ({types}), zum Beispiel {example}</translation>
        </message>
        <message>
            <source>Which configuration is k[{i}]? ({types})</source>
            <translation>Welche Konfiguration ist k[{i}]? ({types})</translation>
        </message>
        <message>
            <source>the letters {letters} in order, such as {example}</source>
            <translation>die Buchstaben {letters} in ihrer Reihenfolge, zum Beispiel {example}</translation>
        </message>
        <message>
            <source>The {job} arrives. Which server takes it, or none?</source>
            <translation>{job} kommt an. Welcher Server nimmt ihn, oder keiner (none)?</translation>
        </message>
        <message>
            <source>it is rejected</source>
            <translation>er wird abgelehnt</translation>
        </message>
        <message>
            <source>The {job} leaves server {server}. From which one does a job migrate into its slot, or from none?</source>
            <translation>{job} verlässt Server {server}. Von welchem zieht ein Job in seinen Slot um, oder von keinem (none)?</translation>
        </message>
        <message>
            <source>no job migrates</source>
            <translation>kein Job zieht um</translation>
        </message>
        <message>
            <source>Empty server {server} is reassigned. Which configuration does it get? ({types})</source>
            <translation>Der leere Server {server} wird neu zugewiesen. Welche Konfiguration bekommt er? ({types})</translation>
        </message>
        <message>
            <source>In which order do these configurations get their ranks? {configurations}</source>
            <translation>In welcher Reihenfolge bekommen diese Konfigurationen ihre Ränge? {configurations}</translation>
        </message>
        <message>
            <source>Solving the programs for all shares alpha</source>
            <translation>Löse die Programme für alle Anteile alpha</translation>
        </message>
        <message>
            <source>Searching for a violation of Definition 8</source>
            <translation>Suche einen Verstoß gegen Definition 8</translation>
        </message>
        <message>
            <source>found '{thing}', allowed: one that is there. {absent}</source>
            <translation>gefunden '{thing}', erlaubt: was da ist. {absent}</translation>
        </message>
        <message>
            <source>Compiling the policy, or loading it compiled</source>
            <translation>Die Policy wird kompiliert oder kompiliert geladen</translation>
        </message>
        <message>
            <source>stopped within event {event}</source>
            <translation>abgebrochen in Ereignis {event}</translation>
        </message>
        <message>
            <source>{name} is from 1 to {most}{members}</source>
            <translation>{name} ist von 1 bis {most}{members}</translation>
        </message>
        <message>
            <source>{ends}, so that {comparison} holds wherever there is one</source>
            <translation>{ends}, sodass {comparison} überall gilt, wo es einen Wert gibt</translation>
        </message>
        <message>
            <source>{ends}, so that {comparison} holds nowhere</source>
            <translation>{ends}, sodass {comparison} nirgends gilt</translation>
        </message>
        <message>
            <source>said[{name}] is missing: the policy says no number of that name in the first {count} events</source>
            <translation>said[{name}] fehlt: Die Strategie sagt in den ersten {count} Ereignissen keine Zahl dieses Namens</translation>
        </message>
        <message>
            <source>found a name that ends in '{ending}', allowed: .csv or .parquet</source>
            <translation>ein Name, der auf „{ending}“ endet; erlaubt: .csv oder .parquet</translation>
        </message>
        <message>
            <source>Within event {event}: {count} sub-steps so far</source>
            <translation>In Ereignis {event}: bisher {count} Teilschritte</translation>
        </message>
        <message>
            <source>no command opens an edited or forked run: save it with Ctrl+S; 'slotscope FILE.slotscope' opens it where it stands</source>
            <translation>kein Befehl öffnet einen geänderten oder abgezweigten Lauf: speichern Sie ihn mit Strg+S; „slotscope DATEI.slotscope“ öffnet ihn, wo er steht</translation>
        </message>
        <message>
            <source>{doing}, at event {event}</source>
            <translation>{doing}, bei Ereignis {event}</translation>
        </message>
        <message>
            <source>Running past events again</source>
            <translation>Vergangene Ereignisse laufen noch einmal</translation>
        </message>
        <message>
            <source>Running on</source>
            <translation>Laufe weiter</translation>
        </message>
        <message>
            <source>Going to event {event}</source>
            <translation>Gehe zu Ereignis {event}</translation>
        </message>
        <message>
            <source>{stopped} at {share}</source>
            <translation>{stopped} bei {share}</translation>
        </message>
        <message>
            <source>{doing}: {share}</source>
            <translation>{doing}: {share}</translation>
        </message>
        <message>
            <source>Looking on at event {event}</source>
            <translation>Suche weiter bei Ereignis {event}</translation>
        </message>
        <message>
            <source>Reading the trace</source>
            <translation>Lese den Trace</translation>
        </message>
        <message>
            <source>Trying changes: {change}</source>
            <translation>Probiere Änderungen: {change}</translation>
        </message>
        <message>
            <source>Run or pause</source>
            <translation>Laufen oder anhalten</translation>
        </message>
        <message>
            <source>Runs on, or pauses.</source>
            <translation>Läuft weiter oder hält an.</translation>
        </message>
        <message>
            <source>Step</source>
            <translation>Schritt</translation>
        </message>
        <message>
            <source>Lets one event happen, or finishes the one begun.</source>
            <translation>Lässt ein Ereignis geschehen oder führt das begonnene zu Ende.</translation>
        </message>
        <message>
            <source>Step into</source>
            <translation>Hineingehen</translation>
        </message>
        <message>
            <source>Takes the next sub-step of the decision.</source>
            <translation>Tut den nächsten Teilschritt der Entscheidung.</translation>
        </message>
        <message>
            <source>Step out</source>
            <translation>Herausgehen</translation>
        </message>
        <message>
            <source>Finishes the decision that was stepped into.</source>
            <translation>Führt die begonnene Entscheidung zu Ende.</translation>
        </message>
        <message>
            <source>To the next</source>
            <translation>Zum nächsten</translation>
        </message>
        <message>
            <source>Runs to the next event of the chosen kind and stops just before it.</source>
            <translation>Läuft zum nächsten Ereignis der gewählten Art und hält unmittelbar davor.</translation>
        </message>
        <message>
            <source>Step back</source>
            <translation>Schritt zurück</translation>
        </message>
        <message>
            <source>Takes one event back.</source>
            <translation>Nimmt ein Ereignis zurück.</translation>
        </message>
        <message>
            <source>Sub-step back</source>
            <translation>Teilschritt zurück</translation>
        </message>
        <message>
            <source>Takes one sub-step back.</source>
            <translation>Nimmt einen Teilschritt zurück.</translation>
        </message>
        <message>
            <source>To the previous</source>
            <translation>Zum vorigen</translation>
        </message>
        <message>
            <source>Goes back to just before the previous event of the chosen kind.</source>
            <translation>Geht unmittelbar vor das vorige Ereignis der gewählten Art zurück.</translation>
        </message>
        <message>
            <source>Says why the selected job is where it is, why not on the selected server, or why the last decision was made.</source>
            <translation>Sagt, warum der gewählte Job ist, wo er ist, warum nicht auf dem gewählten Server, oder warum die letzte Entscheidung so fiel.</translation>
        </message>
        <message>
            <source>Search the log</source>
            <translation>Protokoll durchsuchen</translation>
        </message>
        <message>
            <source>Writes into the log's search: words, or a question that Return asks of all history.</source>
            <translation>Schreibt in die Suche des Protokolls: Wörter oder eine Bedingung, nach der Return im ganzen Verlauf fragt.</translation>
        </message>
        <message>
            <source>To the next hit</source>
            <translation>Zum nächsten Treffer</translation>
        </message>
        <message>
            <source>Goes to just before the next event at which the log's question holds, also beyond the live end.</source>
            <translation>Geht unmittelbar vor das nächste Ereignis, bei dem die Bedingung des Protokolls gilt, auch über das Ende des Laufs hinaus.</translation>
        </message>
        <message>
            <source>To the previous hit</source>
            <translation>Zum vorigen Treffer</translation>
        </message>
        <message>
            <source>Goes back to just before the previous event at which the log's question holds.</source>
            <translation>Geht unmittelbar vor das vorige Ereignis zurück, bei dem die Bedingung des Protokolls gilt.</translation>
        </message>
        <message>
            <source>To the first hit</source>
            <translation>Zum ersten Treffer</translation>
        </message>
        <message>
            <source>Goes to just before the first event of all at which the log's question holds.</source>
            <translation>Geht unmittelbar vor das allererste Ereignis, bei dem die Bedingung des Protokolls gilt.</translation>
        </message>
        <message>
            <source>To the start</source>
            <translation>Zum Anfang</translation>
        </message>
        <message>
            <source>Goes back to the start.</source>
            <translation>Geht an den Anfang zurück.</translation>
        </message>
        <message>
            <source>To the live end</source>
            <translation>Zum Ende des Laufs</translation>
        </message>
        <message>
            <source>Goes to the last event that was ever reached.</source>
            <translation>Geht zum letzten je erreichten Ereignis.</translation>
        </message>
        <message>
            <source>Slower</source>
            <translation>Langsamer</translation>
        </message>
        <message>
            <source>Halves the speed.</source>
            <translation>Halbiert die Geschwindigkeit.</translation>
        </message>
        <message>
            <source>Faster</source>
            <translation>Schneller</translation>
        </message>
        <message>
            <source>Doubles the speed.</source>
            <translation>Verdoppelt die Geschwindigkeit.</translation>
        </message>
        <message>
            <source>Express</source>
            <translation>Eilgang</translation>
        </message>
        <message>
            <source>Runs as fast as the machine can, without drawing, until Esc.</source>
            <translation>Läuft ohne zu zeichnen so schnell wie möglich, bis Esc.</translation>
        </message>
        <message>
            <source>Run until ...</source>
            <translation>Laufen bis …</translation>
        </message>
        <message>
            <source>Runs until a time (t = 20), an event (1000) or a kind of event.</source>
            <translation>Läuft bis zu einer Zeit (t = 20), einem Ereignis (1000) oder einer Art von Ereignis.</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Closes what is in front (a sheet, a dialog, an inspector); else leaves a field, and stops what runs.</source>
            <translation>Schließt, was davor liegt (Blatt, Dialog, Inspektor); sonst verlässt es ein Feld und bricht ab, was läuft.</translation>
        </message>
        <message>
            <source>Breakpoint before the next event</source>
            <translation>Haltepunkt vor dem nächsten Ereignis</translation>
        </message>
        <message>
            <source>Sets or clears a breakpoint just before the next event; in lecture mode B blacks out.</source>
            <translation>Setzt oder löscht einen Haltepunkt unmittelbar vor dem nächsten Ereignis; im Vorlesungsmodus schaltet B auf Schwarz.</translation>
        </message>
        <message>
            <source>Breakpoints ...</source>
            <translation>Haltepunkte …</translation>
        </message>
        <message>
            <source>Lists, sets and removes breakpoints: before an event, or where a question holds.</source>
            <translation>Zeigt, setzt und entfernt Haltepunkte: vor einem Ereignis oder wo eine Bedingung gilt.</translation>
        </message>
        <message>
            <source>Decides otherwise, or lets another policy go on from here, beside this run; lists all forks.</source>
            <translation>Entscheidet anders oder lässt ab hier eine andere Strategie neben diesem Lauf fortfahren; zeigt alle Verzweigungen.</translation>
        </message>
        <message>
            <source>Experiments ...</source>
            <translation>Experimente …</translation>
        </message>
        <message>
            <source>Figures of the papers made again, and sweeps of the scenario, beside this run.</source>
            <translation>Abbildungen der Arbeiten nachrechnen und Parameter des Szenarios variieren, neben diesem Lauf.</translation>
        </message>
        <message>
            <source>Open ...</source>
            <translation>Öffnen …</translation>
        </message>
        <message>
            <source>Opens a scenario or a saved session.</source>
            <translation>Öffnet ein Szenario oder eine gespeicherte Sitzung.</translation>
        </message>
        <message>
            <source>Back to the run before</source>
            <translation>Zurück zum vorigen Lauf</translation>
        </message>
        <message>
            <source>Goes back to the run that another scenario, policy or seed has replaced.</source>
            <translation>Geht zu dem Lauf zurück, an dessen Stelle ein anderes Szenario, eine andere Strategie oder ein anderer Seed trat.</translation>
        </message>
        <message>
            <source>Save session ...</source>
            <translation>Sitzung speichern …</translation>
        </message>
        <message>
            <source>Saves scenario, seed, exact state, place in history and layout.</source>
            <translation>Speichert Szenario, Seed, genauen Zustand, Stelle im Verlauf und Anordnung.</translation>
        </message>
        <message>
            <source>Save scenario ...</source>
            <translation>Szenario speichern …</translation>
        </message>
        <message>
            <source>Saves the scenario as a TOML file.</source>
            <translation>Speichert das Szenario als TOML-Datei.</translation>
        </message>
        <message>
            <source>Export events ...</source>
            <translation>Ereignisse ausgeben …</translation>
        </message>
        <message>
            <source>Writes every event so far as a table, CSV or Parquet.</source>
            <translation>Schreibt alle bisherigen Ereignisse als Tabelle, CSV oder Parquet.</translation>
        </message>
        <message>
            <source>Copy the line that opens this moment</source>
            <translation>Zeile kopieren, die diesen Augenblick öffnet</translation>
        </message>
        <message>
            <source>Copies a command that opens this very moment on any machine.</source>
            <translation>Kopiert einen Befehl, der genau diesen Augenblick auf jedem Rechner öffnet.</translation>
        </message>
        <message>
            <source>Copy the link that opens this moment</source>
            <translation>Link kopieren, der diesen Augenblick öffnet</translation>
        </message>
        <message>
            <source>Copies a slotscope:// link that 'slotscope LINK' opens; it names no files.</source>
            <translation>Kopiert einen Link slotscope://, den „slotscope LINK“ öffnet; er nennt keine Dateien.</translation>
        </message>
        <message>
            <source>Save a film ...</source>
            <translation>Film speichern …</translation>
        </message>
        <message>
            <source>Films a decision, some events or a length of time: MP4, GIF or a folder of pictures.</source>
            <translation>Filmt eine Entscheidung, einige Ereignisse oder eine Zeitspanne: MP4, GIF oder ein Ordner mit Bildern.</translation>
        </message>
        <message>
            <source>Save a page that plays ...</source>
            <translation>Abspielbare Seite speichern …</translation>
        </message>
        <message>
            <source>Writes one HTML file that plays some moments in any browser, without a network.</source>
            <translation>Schreibt eine HTML-Datei, die einige Augenblicke in jedem Browser ohne Netz abspielt.</translation>
        </message>
        <message>
            <source>Save all panels ...</source>
            <translation>Alle Ansichten speichern …</translation>
        </message>
        <message>
            <source>Writes a PDF with a page for each panel, or a folder of pictures, with captions.</source>
            <translation>Schreibt ein PDF mit einer Seite je Ansicht oder einen Ordner mit Bildern, mit Unterschriften.</translation>
        </message>
        <message>
            <source>Lessons ...</source>
            <translation>Lektionen …</translation>
        </message>
        <message>
            <source>Lists all lessons with what one learns, and all scenarios.</source>
            <translation>Zeigt alle Lektionen mit ihrem Lernziel und alle Szenarien.</translation>
        </message>
        <message>
            <source>Next step of the lesson</source>
            <translation>Nächster Schritt der Lektion</translation>
        </message>
        <message>
            <source>Goes on with the lesson; without one, lets one event happen.</source>
            <translation>Führt die Lektion fort; ohne Lektion lässt es ein Ereignis geschehen.</translation>
        </message>
        <message>
            <source>Step of the lesson before</source>
            <translation>Voriger Schritt der Lektion</translation>
        </message>
        <message>
            <source>Goes back in the lesson; without one, takes one event back.</source>
            <translation>Geht in der Lektion zurück; ohne Lektion nimmt es ein Ereignis zurück.</translation>
        </message>
        <message>
            <source>Add this moment to a lesson ...</source>
            <translation>Augenblick an eine Lektion anfügen …</translation>
        </message>
        <message>
            <source>Writes the moment that is shown, with panels, outlines and marks, into a lesson's file.</source>
            <translation>Schreibt den gezeigten Augenblick mit Ansichten, Hervorhebungen und Zeichnungen in die Datei einer Lektion.</translation>
        </message>
        <message>
            <source>Ask me this</source>
            <translation>Danach fragen</translation>
        </message>
        <message>
            <source>Asks what the policy decides next; where a question is open, goes to its answer.</source>
            <translation>Fragt, was die Strategie als Nächstes entscheidet; bei offener Frage geht es zum Antwortfeld.</translation>
        </message>
        <message>
            <source>Reveal the answer</source>
            <translation>Antwort aufdecken</translation>
        </message>
        <message>
            <source>Shows the answer to the question that is open.</source>
            <translation>Zeigt die Antwort auf die offene Frage.</translation>
        </message>
        <message>
            <source>Exercise ...</source>
            <translation>Übung …</translation>
        </message>
        <message>
            <source>Lets you decide instead of the policy, one decision after the other, on instances by seed.</source>
            <translation>Statt der Strategie selbst entscheiden, eine Entscheidung nach der anderen, an Beispielen nach Seed.</translation>
        </message>
        <message>
            <source>Keep answers in a file ...</source>
            <translation>Antworten in Datei aufbewahren …</translation>
        </message>
        <message>
            <source>Writes what you answer into a file that 'slotscope grade' reads.</source>
            <translation>Schreibt die Antworten in eine Datei, die „slotscope grade“ liest.</translation>
        </message>
        <message>
            <source>Quit</source>
            <translation>Beenden</translation>
        </message>
        <message>
            <source>Leaves slotscope.</source>
            <translation>Beendet slotscope.</translation>
        </message>
        <message>
            <source>Lecture mode</source>
            <translation>Vorlesungsmodus</translation>
        </message>
        <message>
            <source>Larger type and marks, and only what a hall needs to see.</source>
            <translation>Größere Schrift und Zeichen und nur, was ein Hörsaal sehen muss.</translation>
        </message>
        <message>
            <source>Begin the lecture</source>
            <translation>Vorlesung beginnen</translation>
        </message>
        <message>
            <source>Lecture mode, also while an answer is typed; Esc then ends it where nothing runs.</source>
            <translation>Vorlesungsmodus, auch während eine Antwort getippt wird; Esc beendet ihn, wenn nichts läuft.</translation>
        </message>
        <message>
            <source>Laser pointer</source>
            <translation>Laserpointer</translation>
        </message>
        <message>
            <source>A red dot follows the mouse; once more switches it off.</source>
            <translation>Ein roter Punkt folgt der Maus; noch einmal schaltet ihn aus.</translation>
        </message>
        <message>
            <source>Draw with a pen</source>
            <translation>Mit dem Stift zeichnen</translation>
        </message>
        <message>
            <source>Draws on any panel with the mouse; once more puts the pen away.</source>
            <translation>Zeichnet mit der Maus auf jede Ansicht; noch einmal legt den Stift weg.</translation>
        </message>
        <message>
            <source>Draw arrows</source>
            <translation>Pfeile zeichnen</translation>
        </message>
        <message>
            <source>Drag to where an arrow points; Enter points at the selection.</source>
            <translation>Dorthin ziehen, wohin ein Pfeil zeigt; die Eingabetaste zeigt auf die Auswahl.</translation>
        </message>
        <message>
            <source>Write notes</source>
            <translation>Notizen schreiben</translation>
        </message>
        <message>
            <source>Click where a note is to stand; Enter puts it at the selection.</source>
            <translation>Klicken, wo eine Notiz stehen soll; die Eingabetaste setzt sie an die Auswahl.</translation>
        </message>
        <message>
            <source>Clear the marks</source>
            <translation>Zeichnungen löschen</translation>
        </message>
        <message>
            <source>Takes all marks off the pictures.</source>
            <translation>Nimmt alle Zeichnungen von den Bildern.</translation>
        </message>
        <message>
            <source>Black out</source>
            <translation>Schwarzschalten</translation>
        </message>
        <message>
            <source>All is black, and a run that is watched waits, until any key or click.</source>
            <translation>Alles ist schwarz, und ein beobachteter Lauf wartet bis zur nächsten Taste oder zum nächsten Klick.</translation>
        </message>
        <message>
            <source>Dark theme</source>
            <translation>Dunkle Darstellung</translation>
        </message>
        <message>
            <source>Changes between dark and light.</source>
            <translation>Wechselt zwischen dunkel und hell.</translation>
        </message>
        <message>
            <source>Reset to the default layout</source>
            <translation>Anordnung zurücksetzen</translation>
        </message>
        <message>
            <source>Puts every panel back.</source>
            <translation>Stellt jede Ansicht an ihren ersten Platz.</translation>
        </message>
        <message>
            <source>Undo</source>
            <translation>Rückgängig</translation>
        </message>
        <message>
            <source>Takes back the last mark while the pen is in hand, else the last reset of the layout.</source>
            <translation>Nimmt mit dem Stift die letzte Zeichnung zurück, sonst das letzte Zurücksetzen der Anordnung.</translation>
        </message>
        <message>
            <source>Full screen</source>
            <translation>Vollbild</translation>
        </message>
        <message>
            <source>Fills the screen, and back.</source>
            <translation>Füllt den Bildschirm und gibt ihn wieder frei.</translation>
        </message>
        <message>
            <source>Help</source>
            <translation>Hilfe</translation>
        </message>
        <message>
            <source>Opens the manual at the page for what runs.</source>
            <translation>Öffnet das Handbuch auf der Seite zu dem, was läuft.</translation>
        </message>
        <message>
            <source>Tour of two minutes</source>
            <translation>Rundgang von zwei Minuten</translation>
        </message>
        <message>
            <source>Shows what stands where, and the keys; Esc ends it.</source>
            <translation>Zeigt, was wo steht, und die Tasten; Esc beendet ihn.</translation>
        </message>
        <message>
            <source>Shortcuts</source>
            <translation>Tastenkürzel</translation>
        </message>
        <message>
            <source>Shows all keys on one sheet.</source>
            <translation>Zeigt alle Tasten auf einem Blatt.</translation>
        </message>
        <message>
            <source>About slotscope</source>
            <translation>Über slotscope</translation>
        </message>
        <message>
            <source>Version, papers and licence.</source>
            <translation>Version, Arbeiten und Lizenz.</translation>
        </message>
        <message>
            <source>Bring a panel to the front</source>
            <translation>Ansicht nach vorn holen</translation>
        </message>
        <message>
            <source>0 is Comparison, M Monitors, S Scenario, T Track. In lecture mode, where keys stand before the names, once more is for the next policy; 1 and 3 give more room to servers and log, and back.</source>
            <translation>0 ist Vergleich, M Monitore, S Szenario, T Spur. Im Vorlesungsmodus, wo die Tasten vor den Namen stehen, gilt ein weiterer Druck der nächsten Strategie; 1 und 3 geben Servern und Protokoll mehr Platz und nehmen ihn zurück.</translation>
        </message>
        <message>
            <source>1 to 9</source>
            <translation>1 bis 9</translation>
        </message>
        <message>
            <source>&amp;File</source>
            <translation>&amp;Datei</translation>
        </message>
        <message>
            <source>&amp;View</source>
            <translation>&amp;Ansicht</translation>
        </message>
        <message>
            <source>&amp;Lessons</source>
            <translation>L&amp;ektionen</translation>
        </message>
        <message>
            <source>&amp;Help</source>
            <translation>&amp;Hilfe</translation>
        </message>
        <message>
            <source>Servers</source>
            <translation>Server</translation>
        </message>
        <message>
            <source>Every server in the stack of its configuration, as in Figure 1 of the paper.</source>
            <translation>Jeder Server im Stapel seiner Konfiguration, wie in Abbildung 1 der Arbeit.</translation>
        </message>
        <message>
            <source>Algorithm</source>
            <translation>Algorithmus</translation>
        </message>
        <message>
            <source>The policy's pseudocode, with the current line and its values.</source>
            <translation>Der Pseudocode der Strategie mit der aktuellen Zeile und ihren Werten.</translation>
        </message>
        <message>
            <source>Decisions</source>
            <translation>Entscheidungen</translation>
        </message>
        <message>
            <source>What happened at each event, and why, in numbers.</source>
            <translation>Was bei jedem Ereignis geschah und warum, in Zahlen.</translation>
        </message>
        <message>
            <source>Reward</source>
            <translation>Ertrag</translation>
        </message>
        <message>
            <source>The reward rate per server over time, against the optimum and the greedy assignment.</source>
            <translation>Die Ertragsrate je Server über der Zeit, gegen das Optimum und die Greedy-Zuteilung.</translation>
        </message>
        <message>
            <source>Optimum and greedy</source>
            <translation>Optimum und Greedy</translation>
        </message>
        <message>
            <source>The linear program's optimum beside the greedy assignment, over all workloads.</source>
            <translation>Das Optimum des linearen Programms neben der Greedy-Zuteilung, über alle Lasten.</translation>
        </message>
        <message>
            <source>Groups</source>
            <translation>Gruppen</translation>
        </message>
        <message>
            <source>Servers of the Reject Group, and empty slots of the Accept Group, over time.</source>
            <translation>Server der Reject Group und leere Slots der Accept Group über der Zeit.</translation>
        </message>
        <message>
            <source>Theory</source>
            <translation>Theorie</translation>
        </message>
        <message>
            <source>The slot deficit q, effective servers against the fluid limit, and V(z).</source>
            <translation>Das Slot-Defizit q, effektive Server gegen den Fluidgrenzwert, und V(z).</translation>
        </message>
        <message>
            <source>Server grid</source>
            <translation>Serverraster</translation>
        </message>
        <message>
            <source>Every server in order of its number, with its slots and its group.</source>
            <translation>Jeder Server in der Reihenfolge seiner Nummer, mit seinen Slots und seiner Gruppe.</translation>
        </message>
        <message>
            <source>Inspector</source>
            <translation>Inspektor</translation>
        </message>
        <message>
            <source>The server, job, ... that was clicked: what is known of it, and its history.</source>
            <translation>Der angeklickte Server, Job, …: was von ihm bekannt ist, und seine Geschichte.</translation>
        </message>
        <message>
            <source>Monitors</source>
            <translation>Monitore</translation>
        </message>
        <message>
            <source>What must hold of every state, and what the paper claims of the long run.</source>
            <translation>Was in jedem Zustand gelten muss, und was die Arbeit auf lange Sicht behauptet.</translation>
        </message>
        <message>
            <source>Track</source>
            <translation>Spur</translation>
        </message>
        <message>
            <source>Any expression about the run over time, and where conditions and breakpoints hold.</source>
            <translation>Beliebige Ausdrücke über den Lauf im Zeitverlauf, und wo Bedingungen und Haltepunkte gelten.</translation>
        </message>
        <message>
            <source>Scenario</source>
            <translation>Szenario</translation>
        </message>
        <message>
            <source>Job types, servers, policy and seed; edit them and restart or continue.</source>
            <translation>Jobtypen, Server, Strategie und Seed; ändern und neu starten oder fortfahren.</translation>
        </message>
        <message>
            <source>Comparison</source>
            <translation>Vergleich</translation>
        </message>
        <message>
            <source>Measures of the policies side by side, with paired differences on the same jobs.</source>
            <translation>Kennzahlen der Strategien nebeneinander, mit gepaarten Differenzen an denselben Jobs.</translation>
        </message>
        <message>
            <source>Every server as a bin with its jobs to scale, and its active configuration.</source>
            <translation>Jeder Server als Behälter mit seinen Jobs im Maßstab und seiner aktiven Konfiguration.</translation>
        </message>
        <message>
            <source>Queues</source>
            <translation>Warteschlangen</translation>
        </message>
        <message>
            <source>The jobs that wait in each virtual queue, and the partition of sizes behind it.</source>
            <translation>Die in jeder virtuellen Warteschlange wartenden Jobs und die Zerlegung der Größen dahinter.</translation>
        </message>
        <message>
            <source>Queue over time</source>
            <translation>Warteschlange im Zeitverlauf</translation>
        </message>
        <message>
            <source>The total queue and the longest virtual queues over time, and whether they grow.</source>
            <translation>Die gesamte und die längsten virtuellen Warteschlangen über der Zeit, und ob sie wachsen.</translation>
        </message>
        <message>
            <source>Weights</source>
            <translation>Gewichte</translation>
        </message>
        <message>
            <source>The weight ⟨k, Q⟩ of each configuration, and the servers on which it is active.</source>
            <translation>Das Gewicht ⟨k, Q⟩ jeder Konfiguration und die Server, auf denen sie aktiv ist.</translation>
        </message>
        <message>
            <source>Load and capacity</source>
            <translation>Last und Kapazität</translation>
        </message>
        <message>
            <source>The load as a share of the supportable workload ρ*, and which jobs make up ρ*.</source>
            <translation>Die Last als Anteil der tragbaren Last ρ*, und welche Jobs ρ* ausmachen.</translation>
        </message>
        <message>
            <source>Every server with its jobs to scale, real and virtual, its tokens and its timer.</source>
            <translation>Jeder Server mit seinen wirklichen und virtuellen Jobs im Maßstab, seinen Marken und seiner Uhr.</translation>
        </message>
        <message>
            <source>Tokens</source>
            <translation>Marken</translation>
        </message>
        <message>
            <source>The tokens of each type, against their limit where there is one, and each token's way to a job.</source>
            <translation>Die Marken jedes Typs, gegen ihre Grenze, wo es eine gibt, und der Weg jeder Marke zu einem Job.</translation>
        </message>
        <message>
            <source>Policy map</source>
            <translation>Karte der Strategie</translation>
        </message>
        <message>
            <source>What a server asks for in each configuration, how often it is there, and who is now.</source>
            <translation>Was ein Server in jeder Konfiguration anfordert, wie oft er dort ist, und wer es jetzt ist.</translation>
        </message>
        <message>
            <source>Plan and gap</source>
            <translation>Plan und Abstand</translation>
        </message>
        <message>
            <source>The bound N̄ of (61), its budget and its prices; the servers that policies need.</source>
            <translation>Die Schranke N̄ aus (61), ihr Budget und ihre Preise; die Server, die Strategien brauchen.</translation>
        </message>
        <message>
            <source>Every server, and each job on the servers that it runs on, filling as it executes.</source>
            <translation>Jeder Server, und jeder Job auf den Servern, auf denen er läuft; er füllt sich mit der Ausführung.</translation>
        </message>
        <message>
            <source>Allocations</source>
            <translation>Zuteilungen</translation>
        </message>
        <message>
            <source>How many jobs run on 1, 2, ... servers, now and on average, beside the optimum.</source>
            <translation>Wie viele Jobs auf 1, 2, … Servern laufen, jetzt und im Mittel, neben dem Optimum.</translation>
        </message>
        <message>
            <source>State-space collapse</source>
            <translation>Zustandsraumkollaps</translation>
        </message>
        <message>
            <source>The jobs on the two widths of the optimum, on their way to it and around it.</source>
            <translation>Die Jobs auf den beiden Breiten des Optimums, auf dem Weg dorthin und um es herum.</translation>
        </message>
        <message>
            <source>Blocking and time</source>
            <translation>Blockierung und Zeit</translation>
        </message>
        <message>
            <source>The share of jobs that are blocked, and their mean execution time, over time.</source>
            <translation>Der Anteil blockierter Jobs und ihre mittlere Ausführungszeit im Zeitverlauf.</translation>
        </message>
        <message>
            <source>Optimum</source>
            <translation>Optimum</translation>
        </message>
        <message>
            <source>(P) and Theorem 1: the widths, p* and D*, also for other loads; exact references.</source>
            <translation>(P) und Satz 1: die Breiten, p* und D*, auch für andere Lasten; exakte Vergleichswerte.</translation>
        </message>
        <message>
            <source>◀ Back</source>
            <translation>◀ Zurück</translation>
        </message>
        <message>
            <source>Back
The step before (PageUp).</source>
            <translation>Zurück
Der vorige Schritt (Bild auf).</translation>
        </message>
        <message>
            <source>Next ▶</source>
            <translation>Weiter ▶</translation>
        </message>
        <message>
            <source>Next
The next step (PageDown).</source>
            <translation>Weiter
Der nächste Schritt (Bild ab).</translation>
        </message>
        <message>
            <source>All lessons</source>
            <translation>Alle Lektionen</translation>
        </message>
        <message>
            <source>All lessons
The page that lists them.</source>
            <translation>Alle Lektionen
Die Seite, die sie auflistet.</translation>
        </message>
        <message>
            <source>End</source>
            <translation>Beenden</translation>
        </message>
        <message>
            <source>End
Ends the lesson; the panels stand as before it.</source>
            <translation>Beenden
Beendet die Lektion; die Ansichten stehen wie zuvor.</translation>
        </message>
        <message>
            <source>Commit</source>
            <translation>Festlegen</translation>
        </message>
        <message>
            <source>Commit
Gives the answer; then it is graded, and stepped out (Enter).</source>
            <translation>Festlegen
Gibt die Antwort ab; sie wird bewertet und vorgeführt (Eingabetaste).</translation>
        </message>
        <message>
            <source>Reveal</source>
            <translation>Aufdecken</translation>
        </message>
        <message>
            <source>Reveal
Shows the answer without giving one (R).</source>
            <translation>Aufdecken
Zeigt die Antwort, ohne eine abzugeben (R).</translation>
        </message>
        <message>
            <source>Next</source>
            <translation>Weiter</translation>
        </message>
        <message>
            <source>Next
The next decision of the exercise (Enter).</source>
            <translation>Weiter
Die nächste Entscheidung der Übung (Eingabetaste).</translation>
        </message>
        <message>
            <source>Skip
Puts the question aside.</source>
            <translation>Überspringen
Legt die Frage beiseite.</translation>
        </message>
        <message>
            <source>Begin the tour</source>
            <translation>Rundgang beginnen</translation>
        </message>
        <message>
            <source>Begin the tour
A lesson of seven steps; Esc ends it (Help has it, too).</source>
            <translation>Rundgang beginnen
Eine Lektion mit sieben Schritten; Esc beendet sie (sie steht auch unter Hilfe).</translation>
        </message>
        <message>
            <source>Not now</source>
            <translation>Nicht jetzt</translation>
        </message>
        <message>
            <source>Not now
Help has the tour whenever you like (Esc).</source>
            <translation>Nicht jetzt
Der Rundgang bleibt unter Hilfe jederzeit zu finden (Esc).</translation>
        </message>
        <message>
            <source>Pen
Draws freehand (N); Enter frames what is selected.</source>
            <translation>Stift
Zeichnet freihändig (N); Enter rahmt ein, was gewählt ist.</translation>
        </message>
        <message>
            <source>Arrow</source>
            <translation>Pfeil</translation>
        </message>
        <message>
            <source>Arrow
Drag to where it points (Shift+N); Enter points at what is selected.</source>
            <translation>Pfeil
Dorthin ziehen, wohin er zeigt (Umschalt+N); die Eingabetaste zeigt auf die Auswahl.</translation>
        </message>
        <message>
            <source>Note
Click where it is to stand (Ctrl+N); Enter puts it at what is selected.</source>
            <translation>Notiz
Klicken, wo sie stehen soll (Strg+N); die Eingabetaste setzt sie an die Auswahl.</translation>
        </message>
        <message>
            <source>Undo
Takes the last mark back (Ctrl+Z).</source>
            <translation>Rückgängig
Nimmt die letzte Zeichnung zurück (Strg+Z).</translation>
        </message>
        <message>
            <source>Clear
Takes all marks away (C); Ctrl+Z brings them back.</source>
            <translation>Löschen
Nimmt alle Zeichnungen weg (C); Strg+Z holt sie zurück.</translation>
        </message>
        <message>
            <source>Done</source>
            <translation>Fertig</translation>
        </message>
        <message>
            <source>Done
Puts the pen away; the marks stay (Esc).</source>
            <translation>Fertig
Legt den Stift weg; die Zeichnungen bleiben (Esc).</translation>
        </message>
        <message>
            <source>Red
Draws in this colour.</source>
            <translation>Rot
Zeichnet in dieser Farbe.</translation>
        </message>
        <message>
            <source>Blue
Draws in this colour.</source>
            <translation>Blau
Zeichnet in dieser Farbe.</translation>
        </message>
        <message>
            <source>Ink
Draws in this colour.</source>
            <translation>Schriftfarbe
Zeichnet in dieser Farbe.</translation>
        </message>
        <message>
            <source>as usual</source>
            <translation>wie üblich</translation>
        </message>
        <message>
            <source>sub-step by sub-step</source>
            <translation>Teilschritt um Teilschritt</translation>
        </message>
        <message>
            <source>event by event</source>
            <translation>Ereignis um Ereignis</translation>
        </message>
        <message>
            <source>by time</source>
            <translation>nach der Zeit</translation>
        </message>
        <message>
            <source>Save a film</source>
            <translation>Film speichern</translation>
        </message>
        <message>
            <source>Films (*.mp4);;Pictures that move (*.gif)</source>
            <translation>Filme (*.mp4);;Bewegte Bilder (*.gif)</translation>
        </message>
        <message>
            <source>Save a page that plays</source>
            <translation>Seite speichern, die abspielt</translation>
        </message>
        <message>
            <source>Pages (*.html)</source>
            <translation>Seiten (*.html)</translation>
        </message>
        <message>
            <source>Save all panels</source>
            <translation>Alle Ansichten speichern</translation>
        </message>
        <message>
            <source>PDF (*.pdf)</source>
            <translation>PDF (*.pdf)</translation>
        </message>
        <message>
            <source>Scenario
Which system runs.</source>
            <translation>Szenario
Welches System läuft.</translation>
        </message>
        <message>
            <source>Policy</source>
            <translation>Strategie</translation>
        </message>
        <message>
            <source>Policy
Which policy decides; the jobs stay the same.</source>
            <translation>Strategie
Welche Strategie entscheidet; die Jobs bleiben dieselben.</translation>
        </message>
        <message>
            <source>Seed
The same seed gives every policy the same jobs.</source>
            <translation>Seed
Derselbe Seed gibt jeder Strategie dieselben Jobs.</translation>
        </message>
        <message>
            <source>Kind of event</source>
            <translation>Art des Ereignisses</translation>
        </message>
        <message>
            <source>Next kind
What Ctrl+Right runs to.</source>
            <translation>Nächste Art
Wohin Strg+Rechts läuft.</translation>
        </message>
        <message>
            <source>Speed</source>
            <translation>Geschwindigkeit</translation>
        </message>
        <message>
            <source>Speed (&lt; and &gt;)
From single sub-steps to no limit; it snaps at 1×, one unit of time per second. No event is waited for longer than 5 seconds.</source>
            <translation>Geschwindigkeit (&lt; und &gt;)
Von einzelnen Teilschritten bis unbegrenzt; rastet bei 1× ein, einer Zeiteinheit je Sekunde. Auf kein Ereignis wird länger als 5 Sekunden gewartet.</translation>
        </message>
        <message>
            <source>Show</source>
            <translation>Zeigen</translation>
        </message>
        <message>
            <source>Show the file's text</source>
            <translation>Text der Datei zeigen</translation>
        </message>
        <message>
            <source>Run it</source>
            <translation>Ausführen</translation>
        </message>
        <message>
            <source>Allow this file as it is now, and run it</source>
            <translation>Diese Datei in ihrer jetzigen Fassung zulassen und ausführen</translation>
        </message>
        <message>
            <source>New from template ...</source>
            <translation>Neu aus Vorlage …</translation>
        </message>
        <message>
            <source>Write a first policy of your own for this kind of system, and run it</source>
            <translation>Eine erste eigene Strategie für diese Art von System schreiben und ausführen</translation>
        </message>
        <message>
            <source>DRA for a student</source>
            <translation>DRA für Studierende</translation>
        </message>
        <message>
            <source>Servers with a queue</source>
            <translation>Server mit Warteschlange</translation>
        </message>
        <message>
            <source>Tokens: Join-Requesting-Server</source>
            <translation>Marken: Join-Requesting-Server</translation>
        </message>
        <message>
            <source>Moldable jobs: greedy(p*)</source>
            <translation>Formbare Jobs: greedy(p*)</translation>
        </message>
        <message>
            <source>any</source>
            <translation>beliebig</translation>
        </message>
        <message>
            <source>harder</source>
            <translation>schwerer</translation>
        </message>
        <message>
            <source>hardest</source>
            <translation>am schwersten</translation>
        </message>
        <message>
            <source>Lessons</source>
            <translation>Lektionen</translation>
        </message>
        <message>
            <source>which server takes the job, or none</source>
            <translation>welcher Server den Job nimmt, oder keiner</translation>
        </message>
        <message>
            <source>which configuration comes next</source>
            <translation>welche Konfiguration als Nächste kommt</translation>
        </message>
        <message>
            <source>the order of the configurations</source>
            <translation>die Reihenfolge der Konfigurationen</translation>
        </message>
        <message>
            <source>from which server a job migrates</source>
            <translation>von welchem Server ein Job umzieht</translation>
        </message>
        <message>
            <source>which job is served next</source>
            <translation>welcher Job als Nächster bedient wird</translation>
        </message>
        <message>
            <source>which token the job takes</source>
            <translation>welche Marke der Job nimmt</translation>
        </message>
        <message>
            <source>how many servers the job gets</source>
            <translation>wie viele Server der Job bekommt</translation>
        </message>
        <message>
            <source>the value of a variable after the next line that sets it</source>
            <translation>der Wert einer Variablen nach der nächsten Zeile, die sie setzt</translation>
        </message>
        <message>
            <source>which policy is ahead later on</source>
            <translation>welche Strategie später vorn liegt</translation>
        </message>
        <message>
            <source>how the curve goes on</source>
            <translation>wie die Kurve weitergeht</translation>
        </message>
        <message>
            <source>X̂ of k[{i}], the servers wanted</source>
            <translation>X̂ von k[{i}], die gewünschten Server</translation>
        </message>
        <message>
            <source>r, the jobs left of each type</source>
            <translation>r, die übrigen Jobs jedes Typs</translation>
        </message>
        <message>
            <source>N, the servers left</source>
            <translation>N, die übrigen Server</translation>
        </message>
        <message>
            <source>X of k[{i}], the servers that hold it</source>
            <translation>X von k[{i}], die Server mit ihr</translation>
        </message>
        <message>
            <source>I*</source>
            <translation>I*</translation>
        </message>
        <message>
            <source>the number of missing servers of k[{i}]</source>
            <translation>die Anzahl der fehlenden Server von k[{i}]</translation>
        </message>
        <message>
            <source>the weight &lt;k, Q&gt; of the configuration</source>
            <translation>das Gewicht &lt;k, Q&gt; der Konfiguration</translation>
        </message>
        <message>
            <source>Q, the jobs that wait in each queue</source>
            <translation>Q, die Jobs, die in jeder Warteschlange warten,</translation>
        </message>
        <message>
            <source>the number of servers with room for the job</source>
            <translation>die Anzahl der Server mit Platz für den Job</translation>
        </message>
        <message>
            <source>the most room that is free on a server</source>
            <translation>der meiste Platz, der auf einem Server frei ist,</translation>
        </message>
        <message>
            <source>the number of tokens of the type</source>
            <translation>die Anzahl der Marken des Typs</translation>
        </message>
        <message>
            <source>k̂, the jobs of each type that the server observes</source>
            <translation>k̂, die Jobs jedes Typs, die der Server beobachtet,</translation>
        </message>
        <message>
            <source>the number of busy servers with room</source>
            <translation>die Anzahl der belegten Server mit Platz</translation>
        </message>
        <message>
            <source>i, the servers that the job asks for</source>
            <translation>i, die Server, die der Job verlangt,</translation>
        </message>
        <message>
            <source>j, the free servers</source>
            <translation>j, die freien Server</translation>
        </message>
        <message>
            <source>min(i, j), the servers that it gets</source>
            <translation>min(i, j), die Server, die er bekommt,</translation>
        </message>
        <message>
            <source>a server</source>
            <translation>eines Servers</translation>
        </message>
        <message>
            <source>a job</source>
            <translation>eines Jobs</translation>
        </message>
        <message>
            <source>a token</source>
            <translation>einer Marke</translation>
        </message>
        <message>
            <source>a link names built-in scenarios and policies only, and no file; Ctrl+L copies the line of this moment</source>
            <translation>ein Link nennt nur eingebaute Szenarien und Strategien und keine Datei; Strg+L kopiert die Zeile dieses Augenblicks</translation>
        </message>
        <message>
            <source>The next event is a {kind}.</source>
            <translation>Das nächste Ereignis: {kind}.</translation>
        </message>
        <message>
            <source>Nothing happens for {gap}: the {seconds} seconds that this takes at {pace} are cut to {wait}.</source>
            <translation>{gap} lang geschieht nichts: von {seconds} Sekunden, die das bei {pace} dauert, bleiben {wait}.</translation>
        </message>
        <message>
            <source>Why the last decision?</source>
            <translation>Warum die letzte Entscheidung?</translation>
        </message>
        <message>
            <source>Why this server, or why not?</source>
            <translation>Warum dieser Server, oder warum nicht?</translation>
        </message>
        <message>
            <source>Why here?</source>
            <translation>Warum hier?</translation>
        </message>
        <message>
            <source>Copy picture
Copies this panel's picture; drag it from here into a slide.</source>
            <translation>Bild kopieren
Kopiert das Bild dieser Ansicht; von hier lässt es sich auf eine Folie ziehen.</translation>
        </message>
        <message>
            <source>Save picture
Saves this panel as PNG or SVG.</source>
            <translation>Bild speichern
Speichert diese Ansicht als PNG oder SVG.</translation>
        </message>
        <message>
            <source>Save data
Saves this panel's series as CSV, a log also as JSON lines.</source>
            <translation>Daten speichern
Speichert die Reihe dieser Ansicht als CSV, ein Protokoll auch als JSON-Zeilen.</translation>
        </message>
        <message>
            <source>Float or dock
Puts this panel into a window of its own, and back.</source>
            <translation>Lösen oder andocken
Gibt dieser Ansicht ein eigenes Fenster und nimmt sie wieder auf.</translation>
        </message>
        <message>
            <source>Hide
Hides this panel; the View menu brings it back.</source>
            <translation>Ausblenden
Blendet diese Ansicht aus; das Menü „Ansicht“ holt sie zurück.</translation>
        </message>
        <message>
            <source>First that differs</source>
            <translation>Erste andere</translation>
        </message>
        <message>
            <source>Go to the first decision that differs</source>
            <translation>Zur ersten abweichenden Entscheidung</translation>
        </message>
        <message>
            <source>Previous</source>
            <translation>Vorige</translation>
        </message>
        <message>
            <source>Previous difference</source>
            <translation>Vorige Abweichung</translation>
        </message>
        <message>
            <source>Back to just before the previous job that is not decided alike.</source>
            <translation>Zurück unmittelbar vor den vorigen Job, über den nicht gleich entschieden wird.</translation>
        </message>
        <message>
            <source>Next difference</source>
            <translation>Nächste Abweichung</translation>
        </message>
        <message>
            <source>On to just before the next job that is not decided alike; Esc stops the search.</source>
            <translation>Weiter unmittelbar vor den nächsten Job, über den nicht gleich entschieden wird; Esc bricht die Suche ab.</translation>
        </message>
        <message>
            <source>Stands just before the first job that one policy admits and another rejects.</source>
            <translation>Steht unmittelbar vor dem ersten Job, den eine Strategie annimmt und eine andere abweist.</translation>
        </message>
        <message>
            <source>or another server</source>
            <translation>anderer Server</translation>
        </message>
        <message>
            <source>Another server counts as another decision, too.</source>
            <translation>Auch ein anderer Server gilt als andere Entscheidung.</translation>
        </message>
        <message>
            <source>{jobs} so far, each admitted, or rejected, by all of them alike.</source>
            <translation>Bisher {jobs}: jeder von allen gleich angenommen oder abgewiesen.</translation>
        </message>
        <message>
            <source>Stands just before the first job that one policy gives servers and another blocks.</source>
            <translation>Steht unmittelbar vor dem ersten Job, dem eine Strategie Server gibt und den eine andere blockiert.</translation>
        </message>
        <message>
            <source>or another width</source>
            <translation>andere Serverzahl</translation>
        </message>
        <message>
            <source>Another number of servers counts as another decision, too.</source>
            <translation>Auch eine andere Zahl von Servern gilt als andere Entscheidung.</translation>
        </message>
        <message>
            <source>{jobs} so far, each served, or blocked, by all of them alike.</source>
            <translation>Bisher {jobs}: jeder von allen gleich bedient oder blockiert.</translation>
        </message>
        <message>
            <source>event</source>
            <translation>Ereignis</translation>
        </message>
        <message>
            <source>time</source>
            <translation>Zeit</translation>
        </message>
        <message>
            <source>decision</source>
            <translation>Entscheidung</translation>
        </message>
        <message>
            <source>what</source>
            <translation>was</translation>
        </message>
        <message>
            <source>at</source>
            <translation>bei</translation>
        </message>
        <message>
            <source>paper</source>
            <translation>Arbeit</translation>
        </message>
        <message>
            <source>ours</source>
            <translation>unser</translation>
        </message>
        <message>
            <source>± (95 %)</source>
            <translation>± (95 %)</translation>
        </message>
        <message>
            <source>What
What was measured.</source>
            <translation>Was
Was gemessen wurde.</translation>
        </message>
        <message>
            <source>At
For which parameters.</source>
            <translation>Bei
Für welche Parameter.</translation>
        </message>
        <message>
            <source>Paper
The number that the paper gives, – where it gives none.</source>
            <translation>Arbeit
Die Zahl der Arbeit, –, wo sie keine nennt.</translation>
        </message>
        <message>
            <source>Ours
The mean over the parts that are finished.</source>
            <translation>Unser
Das Mittel über die fertigen Teile.</translation>
        </message>
        <message>
            <source>±
The half-width of the 95 % interval: exact, or – while one run says nothing about it.</source>
            <translation>±
Die halbe Breite des 95-%-Intervalls: exakt, oder –, solange ein Lauf nichts darüber sagt.</translation>
        </message>
        <message>
            <source>quick: about a minute</source>
            <translation>schnell: etwa eine Minute</translation>
        </message>
        <message>
            <source>paper: as far as the paper goes</source>
            <translation>Arbeit: so weit die Arbeit geht</translation>
        </message>
        <message>
            <source>Jobs and arrivals</source>
            <translation>Jobs und Ankünfte</translation>
        </message>
        <message>
            <source>Job types</source>
            <translation>Jobtypen</translation>
        </message>
        <message>
            <source>not run: choose it to read its trace</source>
            <translation>nicht gelaufen; Auswahl liest Daten</translation>
        </message>
        <message>
            <source>all decisions</source>
            <translation>alle Entscheidungen</translation>
        </message>
        <message>
            <source>Commit an answer first, reveal it, or skip the question.</source>
            <translation>Erst eine Antwort festlegen, sie aufdecken oder die Frage überspringen.</translation>
        </message>
        <message>
            <source>Compare
Puts other policies, or other parameters, beside this one: the same jobs, clocks in step.</source>
            <translation>Vergleichen
Stellt andere Strategien oder Parameter neben diese: dieselben Jobs, Uhren im Gleichlauf.</translation>
        </message>
    </context>
</TS>
